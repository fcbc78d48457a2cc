/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package soak

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak/load"
)

// errCut: a pod's time was up before it ended.
var errCut = errors.New("cut")

// units makes pods and lets them live as planned.
type units struct {
	client    kubernetes.Interface
	namespace string
	names     load.Names
	retry     *retrier
	tracker   *tracker
	generator *load.Generator
	template  map[string]any // of pods
	// places is full at the maximum number of pods.
	places chan struct{}
	// every is the time between pods, due that of the next one; zero creates them as there are places.
	every time.Duration
	due   time.Time
}

// late is the maximum delay caught up with.
const late = 5 * time.Second

// pace waits until n more pods are due.
func (u *units) pace(ctx context.Context, n int) bool {
	if u.every == 0 {
		return true
	}
	now := time.Now()
	if u.due.IsZero() || now.Sub(u.due) > late {
		u.due = now
	}
	wait := u.due.Sub(now)
	u.due = u.due.Add(time.Duration(n) * u.every)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// run creates units until enough is true, and returns when all have ended. When ctx ends, the remaining ones stay.
func (u *units) run(ctx context.Context, enough func(made int) bool) error {
	group, lives := errgroup.WithContext(ctx)
	for made := 0; !enough(made); {
		unit := u.generator.Next()
		if !u.pace(lives, len(unit.Pods)) || !u.reserve(lives, len(unit.Pods)) {
			break
		}
		made += len(unit.Pods)
		group.Go(func() error { return u.live(lives, unit) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// reserve waits for places for n pods.
func (u *units) reserve(ctx context.Context, n int) bool {
	for range n {
		select {
		case u.places <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

func (u *units) live(ctx context.Context, unit load.Unit) error {
	for _, claim := range u.names.Claims(unit) {
		if err := u.retry.do(ctx, func(ctx context.Context) error {
			_, err := u.client.ResourceV1().ResourceClaims(u.namespace).Create(ctx, claim, metav1.CreateOptions{})
			return err
		}, apierrors.IsAlreadyExists); err != nil {
			return fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
	}
	group, lives := errgroup.WithContext(ctx)
	for i, pod := range u.names.Pods(unit) {
		group.Go(func() error {
			defer func() { <-u.places }()
			u.tracker.add(pod.Name, unit.Kind.Name)
			if err := u.retry.do(lives, func(ctx context.Context) error {
				fitted, err := objects.Templated(pod, u.template)
				if err == nil {
					_, err = u.client.CoreV1().Pods(u.namespace).Create(ctx, fitted, metav1.CreateOptions{})
				}
				return err
			}, apierrors.IsAlreadyExists); err != nil {
				return fmt.Errorf("create pod %s: %w", pod.Name, err)
			}
			u.tracker.created(pod.Name)
			return u.end(lives, unit.Pods[i])
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, claim := range u.names.Claims(unit) {
		if err := u.retry.do(ctx, func(ctx context.Context) error {
			return u.client.ResourceV1().ResourceClaims(u.namespace).Delete(ctx, claim.Name, metav1.DeleteOptions{})
		}, apierrors.IsNotFound); err != nil {
			return fmt.Errorf("delete claim %s: %w", claim.Name, err)
		}
	}
	return nil
}

// end waits for the end of a pod, or causes it.
func (u *units) end(ctx context.Context, pod load.Pod) error {
	waiting, cancel := ctx, func() {}
	if pod.Cut > 0 {
		waiting, cancel = context.WithTimeoutCause(ctx, pod.Cut, errCut)
	}
	err := u.tracker.await(waiting, pod.Name, func(l podTimes) bool { return l.over() || pod.Holds > 0 && !l.started.IsZero() })
	cancel()
	if err == nil && pod.Holds > 0 {
		held, cancel := context.WithTimeoutCause(ctx, pod.Holds, errCut)
		err = u.tracker.await(held, pod.Name, podTimes.over)
		cancel()
	}
	if err != nil && !errors.Is(err, errCut) {
		return err
	}
	if err == nil && pod.Stays {
		return nil
	}
	err = u.retry.do(ctx, func(ctx context.Context) error {
		return u.client.CoreV1().Pods(u.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})
	}, nil)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete pod %s: %w", pod.Name, err)
	}
	return u.tracker.await(ctx, pod.Name, func(l podTimes) bool { return l.gone })
}

// enough reports when a load has done everything requested.
func enough(o Options, began time.Time, faults <-chan struct{}) func(made int) bool {
	return func(made int) bool {
		select {
		case <-faults:
			return made >= o.Pods && time.Since(began) >= o.Duration
		default:
			return false
		}
	}
}

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

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// atOnce is how many pods are created at a time.
const atOnce = 16

func (b bench) run(ctx context.Context) (r result, err error) {
	r.restTime = b.rest
	if err := b.out.Step("wait until controllers have looked at all nodes", calm, func() error { return b.settled(ctx) }); err != nil {
		return r, err
	}
	err = b.out.Step(fmt.Sprintf("bind %d single pods with a claim, and as many without", b.single), 0, func() (err error) {
		r.added, r.attempts, err = b.singles(ctx)
		return err
	})
	if err != nil {
		return r, err
	}
	for i := range b.rounds {
		group := fmt.Sprintf("round-%d", i+1)
		err := b.out.Step(fmt.Sprintf("%s of %d: bind %d pods", group, b.rounds, b.pods), 0, func() error {
			one, err := b.round(ctx, group)
			r.rounds = append(r.rounds, one)
			return err
		})
		if err == nil && i < b.rounds-1 {
			err = b.out.Step("remove them", 0, func() error { return b.remove(ctx, group) })
		}
		if err != nil {
			return r, err
		}
	}
	err = b.out.Step("count requests while all pods are bound", calm+b.rest, func() (err error) {
		r.bound, err = b.atRest(ctx)
		return err
	})
	if err != nil {
		return r, err
	}
	err = b.out.Step("count requests while a pod waits that no node suits", calm+b.rest, func() (err error) {
		r.waiting, err = b.waiting(ctx)
		return err
	})
	return r, err
}

// singles has one pod after the other bound, with a claim and without, and returns for each
// with a claim how much later that was and after how many more attempts.
func (b bench) singles(ctx context.Context) (added []time.Duration, attempts []int, err error) {
	// The programs have just been started: what that takes is not measured.
	if _, err := b.bindSingle(ctx, "first", 1); err != nil {
		return nil, nil, err
	}
	var names [2][]string
	for i := range b.single {
		var took [2]time.Duration
		for _, claims := range []int{i % 2, 1 - i%2} { // now the one first, now the other
			name := fmt.Sprintf("single-%d-%d", i, claims)
			if took[claims], err = b.bindSingle(ctx, name, claims); err != nil {
				return nil, nil, err
			}
			names[claims] = append(names[claims], name)
		}
		added = append(added, took[1]-took[0]-b.takes)
	}
	without, err := b.attempts(names[0])
	if err != nil {
		return nil, nil, err
	}
	with, err := b.attempts(names[1])
	if err != nil {
		return nil, nil, err
	}
	for i := range with {
		attempts = append(attempts, with[i]-without[i])
	}
	return added, attempts, nil
}

// bindSingle has a pod bound, returns how long that took, and removes it.
func (b bench) bindSingle(ctx context.Context, name string, claims int) (time.Duration, error) {
	took, err := b.bind(ctx, name, []claimed{newPod(name, name, claims, "")})
	if err != nil {
		return 0, err
	}
	return took.each[0], b.remove(ctx, name)
}

// round has many pods with a claim each bound. The time for creating claims counts, too.
func (b bench) round(ctx context.Context, group string) (round, error) {
	var pods []claimed
	var names []string
	for i := range b.pods {
		pods = append(pods, newPod(group, fmt.Sprintf("%s-%d", group, i), 1, ""))
		names = append(names, pods[i].pod.Name)
	}
	before, err := b.requested(ctx)
	if err != nil {
		return round{}, err
	}
	took, err := b.bind(ctx, group, pods)
	if err != nil {
		return round{}, err
	}
	after, err := b.requested(ctx)
	if err != nil {
		return round{}, err
	}
	attempts, err := b.attempts(names)
	if err != nil {
		return round{}, err
	}
	sum, n, asked := 0, float64(b.pods), after.minus(before)
	for _, count := range attempts {
		sum += count
	}
	if asked.scheduler == 0 || asked.driver == 0 {
		return round{}, fmt.Errorf("no requests were counted although pods with claims were bound: %s", asked)
	}
	return round{rate: n / took.all.Seconds(), attempts: float64(sum) / n, asked: requests{asked.scheduler / n, asked.driver / n}}, nil
}

// times are how long it took until pods were seen to be bound: all of them, since the first
// create, and each, since it was created.
type times struct {
	all  time.Duration
	each []time.Duration
}

// bind creates the pods of a group with their claims, several at a time, and waits until
// they are bound.
func (b bench) bind(ctx context.Context, of string, pods []claimed) (took times, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not after %s", patience))
	defer cancel()
	selected := metav1.ListOptions{LabelSelector: label + "=" + of}
	before, err := b.client.CoreV1().Pods(namespace).List(ctx, selected)
	if err != nil {
		return took, fmt.Errorf("list pods: %w", err)
	}
	// The API server ends watches that it thinks slow: this one goes on where it was.
	w, err := watchtools.NewRetryWatcherWithContext(ctx, before.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selected.LabelSelector
			return b.client.CoreV1().Pods(namespace).Watch(ctx, options)
		},
	})
	if err != nil {
		return took, fmt.Errorf("watch pods: %w", err)
	}
	defer w.Stop()
	began, created, bound := time.Now(), make([]time.Time, len(pods)), map[string]time.Time{}
	group, creating := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		bound, err = awaitBound(creating, w, len(pods))
		return err
	})
	group.Go(func() error {
		each, creating := errgroup.WithContext(creating)
		each.SetLimit(atOnce)
		for i, pod := range pods {
			each.Go(func() (err error) {
				created[i], err = b.create(creating, pod)
				return err
			})
		}
		return each.Wait()
	})
	if err := group.Wait(); err != nil {
		return took, err
	}
	for i, pod := range pods {
		at := bound[pod.pod.Name]
		took.all = max(took.all, at.Sub(began))
		took.each = append(took.each, at.Sub(created[i]))
	}
	return took, nil
}

// awaitBound returns when each of so many pods was seen to be bound.
func awaitBound(ctx context.Context, w watch.Interface, pods int) (map[string]time.Time, error) {
	bound := map[string]time.Time{}
	for len(bound) < pods {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for pods, of which %d of %d are bound: %w", len(bound), pods, context.Cause(ctx))
		case event, open := <-w.ResultChan():
			if !open {
				return nil, errors.New("the watch of pods has ended")
			}
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				return nil, fmt.Errorf("watch pods: %w", apierrors.FromObject(event.Object))
			}
			if _, known := bound[pod.Name]; !known && pod.Spec.NodeName != "" {
				bound[pod.Name] = time.Now()
			}
		}
	}
	return bound, nil
}

// waiting counts requests while a pod waits that wants more devices than any node has.
func (b bench) waiting(ctx context.Context) (requests, error) {
	made := newPod("waiting", "waiting", devices+1, parameters)
	if _, err := b.create(ctx, made); err != nil {
		return requests{}, err
	}
	pods, pod := b.client.CoreV1().Pods(namespace), made.pod
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(now.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
		}), nil
	})
	if err != nil {
		return requests{}, fmt.Errorf("wait until the pod was tried: %w", err)
	}
	asked, err := b.atRest(ctx)
	if err != nil {
		return requests{}, err
	}
	now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && now.Spec.NodeName != "" {
		err = fmt.Errorf("it was bound to %s, although no node has %d devices", now.Spec.NodeName, devices+1)
	}
	return asked, err
}

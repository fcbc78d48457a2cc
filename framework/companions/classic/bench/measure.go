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

package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/perf"
)

// atOnce is how many pods are created at a time.
const atOnce = 16

// singles binds pods one after the other, with a claim and without, and returns for each with a claim the additional
// time and attempts.
func (b *bench) singles(ctx context.Context) (added []time.Duration, attempts []int, err error) {
	var names [2][]string
	for i := range singles {
		var took [2]time.Duration
		for _, claims := range []int{i % 2, 1 - i%2} { // now the one first, now the other
			name := fmt.Sprintf("single-%d-%d-%d", b.rounds, i, claims)
			if took[claims], err = b.bindSingle(ctx, name, claims); err != nil {
				return nil, nil, err
			}
			names[claims] = append(names[claims], name)
		}
		added = append(added, took[1]-took[0]-takes)
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

// bindSingle waits until a pod is bound, returns the time, and removes it.
func (b *bench) bindSingle(ctx context.Context, name string, claims int) (time.Duration, error) {
	took, err := b.bind(ctx, name, []claimed{newPod(name, name, claims, "")})
	if err != nil {
		return 0, err
	}
	return took.each[0], b.remove(ctx, name)
}

// many has a workload's pods with a claim each bound. The time for creating claims counts, too.
func (b *bench) many(ctx context.Context, group string, values map[perf.Metric]float64) error {
	var pods []claimed
	var names []string
	for i := range b.Pods {
		pods = append(pods, newPod(group, fmt.Sprintf("%s-%d", group, i), 1, ""))
		names = append(names, pods[i].pod.Name)
	}
	before, err := b.requested(ctx)
	if err != nil {
		return err
	}
	took, err := b.bind(ctx, group, pods)
	if err != nil {
		return err
	}
	after, err := b.requested(ctx)
	if err != nil {
		return err
	}
	attempts, err := b.attempts(names)
	if err != nil {
		return err
	}
	sum, n, asked := 0, float64(b.Pods), after.minus(before)
	for _, count := range attempts {
		sum += count
	}
	if asked.scheduler == 0 || asked.driver == 0 {
		return fmt.Errorf("no requests were counted although pods with claims were bound: %s", asked)
	}
	values[perf.PodsPerSecond], values[perf.Attempts] = n/took.all.Seconds(), float64(sum)/n
	values[perf.SchedulerRequests], values[perf.CompanionRequests] = asked.scheduler/n, asked.driver/n
	return nil
}

// times are how long it took until pods were seen to be bound: all of them, since the first
// create, and each, since it was created.
type times struct {
	all  time.Duration
	each []time.Duration
}

// bind creates pods with their claims, several at a time, and waits until they are bound.
func (b *bench) bind(ctx context.Context, of string, pods []claimed) (took times, err error) {
	began, created := time.Now(), make([]time.Time, len(pods))
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, pod := range pods {
		group.Go(func() (err error) {
			created[i], err = b.create(creating, pod)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return took, err
	}
	left := len(pods)
	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		left = len(pods)
		for _, pod := range pods {
			if !b.pods.Of(pod.pod.Name).Bound.IsZero() {
				left--
			}
		}
		return left == 0, nil
	})
	if err != nil {
		return took, fmt.Errorf("wait for pods of %s to be bound, %d are left: %w", of, left, err)
	}
	for i, pod := range pods {
		at := b.pods.Of(pod.pod.Name).Bound
		took.all = max(took.all, at.Sub(began))
		took.each = append(took.each, at.Sub(created[i]))
	}
	return took, nil
}

// waiting counts requests while a pod waits for more devices than any node has.
func (b *bench) waiting(ctx context.Context) (requests, error) {
	made := newPod("waiting", "waiting", b.Devices+1, parameters)
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
	if !b.pods.Of(pod.Name).Bound.IsZero() {
		return requests{}, fmt.Errorf("pod %s was bound, although no node has %d devices", pod.Name, b.Devices+1)
	}
	return asked, b.remove(ctx, pod.Name)
}

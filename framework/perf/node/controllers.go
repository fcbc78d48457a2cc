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

package node

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
)

// controllers measures the creation of claims from templates.
func (b *bench) controllers(ctx context.Context) (map[perf.Metric]float64, error) {
	waiting, err := b.waiting(ctx, claims)
	if err != nil {
		return nil, err
	}
	arriving, err := b.arriving(ctx, claims)
	if err != nil {
		return nil, err
	}
	memory, err := b.controllersMemory(ctx)
	return map[perf.Metric]float64{
		perf.WaitingClaims: claims / waiting.Seconds(), perf.ArrivingClaims: claims / arriving.Seconds(), perf.ControllersMemory: memory,
	}, err
}

// waiting measures the creation of claims for n pods waiting for the template. Events report the
// controllers' failed attempts. Apart from the claims there is little to do then: both controllers
// retry ten of the pods per second.
func (b *bench) waiting(ctx context.Context, n int) (time.Duration, error) {
	events := b.client.CoreV1().Events(namespace)
	missing := metav1.ListOptions{FieldSelector: "reason=FailedResourceClaimCreation"}
	if err := events.DeleteCollection(ctx, metav1.DeleteOptions{}, missing); err != nil {
		return 0, fmt.Errorf("remove events: %w", err)
	}
	if err := b.createPods(ctx, n, late); err != nil {
		return 0, err
	}
	said := 0
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		list, err := events.List(ctx, missing)
		if err != nil {
			return false, err
		}
		said = len(list.Items)
		return said >= n, nil
	})
	if err != nil {
		return 0, fmt.Errorf("for %d of %d pods an event says that their template is missing: %w", said, n, err)
	}
	start := time.Now()
	if err := b.createTemplate(ctx, late); err != nil {
		return 0, err
	}
	if err := b.served(ctx, n); err != nil {
		return 0, err
	}
	took := time.Since(start)
	if err := b.clear(ctx); err != nil {
		return 0, err
	}
	if err := b.client.ResourceV1().ResourceClaimTemplates(namespace).Delete(ctx, late, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("remove the template: %w", err)
	}
	return took, nil
}

// arriving measures the creation of n pods and their claims.
func (b *bench) arriving(ctx context.Context, n int) (time.Duration, error) {
	start := time.Now()
	if err := b.createPods(ctx, n, early); err != nil {
		return 0, err
	}
	if err := b.served(ctx, n); err != nil {
		return 0, err
	}
	took := time.Since(start)
	return took, b.clear(ctx)
}

// createPods creates n pods with a claim each, ignored by all schedulers.
func (b *bench) createPods(ctx context.Context, n int, template string) error {
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(20)
	for i := range n {
		pod := objects.PodFromTemplate(fmt.Sprintf("claimed-%d", i), podImage, template)
		pod.Spec.SchedulerName = "nobody.dra-conformance.github.io"
		group.Go(func() error {
			_, err := b.client.CoreV1().Pods(namespace).Create(creating, pod, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("create pods: %w", err)
	}
	return nil
}

// served waits until the statuses of n pods name their claims.
func (b *bench) served(ctx context.Context, n int) error {
	made := 0
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		made = b.pods.Count(func(seen perf.SeenPod) bool { return seen.HasClaims })
		return made == n, nil
	})
	if err != nil {
		return fmt.Errorf("%d of %d claims were made: %w", made, n, err)
	}
	return nil
}

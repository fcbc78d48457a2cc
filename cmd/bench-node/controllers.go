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
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/objects"
)

// Templates of the namespace. The late one is not there at first.
const early, late = "early", "late"

// side is a set of controllers.
type side struct {
	whose clusters.Implementation
	// components are all that run on the side: ours take some of the work from
	// kube-controller-manager, which has to run beside them.
	components []string
	result     *controllerResult
}

func sidesOf(r *sides[controllerResult], others clusters.Implementation) [2]side {
	const kube = "kube-controller-manager"
	other := side{others, []string{kube}, &r.Own}
	if others == clusters.Own {
		other.components = append(other.components, "dra-controller-manager")
	}
	return [2]side{{clusters.Stock, []string{kube}, &r.Stock}, other}
}

// controllers has claims made by Kubernetes' controllers, by ours twice, and by
// Kubernetes' again, block after block. A machine gets slower and faster: with
// Kubernetes' controllers alone, rounds a minute apart differed by a third. Within a
// block neither side has the better part of that.
func (b *bench) controllers(ctx context.Context, others clusters.Implementation) (r sides[controllerResult], err error) {
	stage, err := b.newStage(ctx, "bench-controllers-"+string(others))
	if err != nil {
		return r, err
	}
	defer stage.close()
	both := sidesOf(&r, others)
	var working clusters.Implementation
	for i := range b.blocks {
		var waiting, arriving [2]time.Duration
		for j, n := range []int{0, 1, 1, 0} {
			s := both[n]
			if s.whose != working {
				if err := stage.use(ctx, s.whose); err != nil {
					return r, err
				}
				working = s.whose
			}
			fmt.Fprintf(os.Stderr, "block %d of %d, round %d of 4: twice %d claims from a template, %s controllers\n", i+1, b.blocks, j+1, b.claims, s.whose)
			w, a, err := stage.claimRound(ctx, s)
			if err != nil {
				return r, err
			}
			waiting[n] += w
			arriving[n] += a
		}
		for n, s := range both {
			s.result.Waiting = append(s.result.Waiting, float64(2*b.claims)/waiting[n].Seconds())
			s.result.Arriving = append(s.result.Arriving, float64(2*b.claims)/arriving[n].Seconds())
		}
		fmt.Fprintf(os.Stderr, "block %d of %d: %.0f claims per second by stock controllers, %.0f by the others (%s); while pods are created, %.0f and %.0f\n",
			i+1, b.blocks, r.Stock.Waiting[i], r.Own.Waiting[i], others, r.Stock.Arriving[i], r.Own.Arriving[i])
	}
	return r, nil
}

// use puts controllers into the cluster and lets them make some claims, so that the
// first round is not the first use.
func (s *stage) use(ctx context.Context, whose clusters.Implementation) error {
	if _, err := s.switcher.Switch(ctx, s.name, clusters.Stack{Controllers: whose}); err != nil {
		return fmt.Errorf("switch to %s controllers: %w", whose, err)
	}
	_, err := s.arriving(ctx, min(100, s.claims))
	return err
}

// claimRound is a round of the controllers that the cluster has.
func (s *stage) claimRound(ctx context.Context, side side) (waiting, arriving time.Duration, err error) {
	if waiting, err = s.waiting(ctx, s.claims); err != nil {
		return 0, 0, err
	}
	if arriving, err = s.arriving(ctx, s.claims); err != nil {
		return 0, 0, err
	}
	resident := 0.0
	for _, component := range side.components {
		memory, err := s.resident(ctx, component)
		if err != nil {
			return 0, 0, err
		}
		resident += memory
	}
	side.result.Resident = append(side.result.Resident, resident)
	return waiting, arriving, nil
}

// waiting tells how long claims take for n pods that all wait for the template, of
// which events tell when the controllers have tried. Besides the claims there is
// little to do then: both controllers try ten of the pods again each second.
func (s *stage) waiting(ctx context.Context, n int) (time.Duration, error) {
	events := s.client.CoreV1().Events(s.namespace)
	missing := metav1.ListOptions{FieldSelector: "reason=FailedResourceClaimCreation"}
	if err := events.DeleteCollection(ctx, metav1.DeleteOptions{}, missing); err != nil {
		return 0, fmt.Errorf("remove events: %w", err)
	}
	if err := s.createPods(ctx, n, late); err != nil {
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
	if err := s.createTemplate(ctx, s.namespace, late); err != nil {
		return 0, err
	}
	if err := s.served(ctx, n); err != nil {
		return 0, err
	}
	took := time.Since(start)
	if err := s.clear(ctx); err != nil {
		return 0, err
	}
	if err := s.client.ResourceV1().ResourceClaimTemplates(s.namespace).Delete(ctx, late, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("remove the template: %w", err)
	}
	return took, nil
}

// arriving tells how long it takes to create n pods and their claims at the same time.
func (s *stage) arriving(ctx context.Context, n int) (time.Duration, error) {
	start := time.Now()
	if err := s.createPods(ctx, n, early); err != nil {
		return 0, err
	}
	if err := s.served(ctx, n); err != nil {
		return 0, err
	}
	took := time.Since(start)
	return took, s.clear(ctx)
}

// createPods creates n pods with a claim each that no scheduler looks at.
func (s *stage) createPods(ctx context.Context, n int, template string) error {
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(20)
	for i := range n {
		pod := objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), podImage, template)
		pod.Spec.SchedulerName = "nobody.bench.dra-conformance.github.io"
		group.Go(func() error {
			_, err := s.client.CoreV1().Pods(s.namespace).Create(creating, pod, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("create pods: %w", err)
	}
	return nil
}

// served waits until n pods know their claims.
func (s *stage) served(ctx context.Context, n int) error {
	made := 0
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		made = s.pods.served()
		return made == n, nil
	})
	if err != nil {
		return fmt.Errorf("%d of %d claims were made: %w", made, n, err)
	}
	return nil
}

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

package kubelet_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
)

// chaos is a concurrency-safe source of faults.
type chaos struct {
	mu     sync.Mutex
	random *rand.Rand
	calm   bool
}

func (c *chaos) pick(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(n)
}

// hits reports whether a fault occurs, with probability 1/n.
func (c *chaos) hits(n int) bool { return c.pick(n) == 0 && !c.isCalm() }

func (c *chaos) isCalm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calm
}

func (c *chaos) calmDown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calm = true
}

// fails makes a driver act and then fail, or fail without acting.
func (c *chaos) fails(d *driver) {
	d.onPrepare(func(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		if !c.hits(3) {
			return d.usual(r), nil
		}
		switch c.pick(4) {
		case 0:
			return nil, errors.New("not done")
		case 1:
			d.usual(r)
			return nil, errors.New("done, but not said")
		case 2:
			return nil, status.Error(codes.InvalidArgument, "cannot be")
		default:
			response := d.usual(r)
			delete(response.Claims, r.Claims[0].Uid)
			return response, nil
		}
	})
}

// Pods start and stop concurrently, share claims and stop waiting, while drivers fail and the
// kubelet restarts. A started pod has its devices, and nothing is leaked.
func TestChaos(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			drivers := []*driver{w.driver("a"), w.driver("b")}
			c := &chaos{random: rand.New(rand.NewPCG(seed, 1))}
			for _, d := range drivers {
				c.fails(d)
			}
			pods := w.chaosPods()
			for _, p := range pods {
				w.activate(p)
			}
			for range 12 {
				w.together(pods, func(p *corev1.Pod) { w.chaosStep(c, p) })
				if c.hits(2) {
					w.restart(drivers...)
				}
			}
			c.calmDown()
			w.together(pods, w.unprepare)
			w.equal("checkpoint", w.saved(), "")
			for _, d := range drivers {
				w.equal("left", strings.Join(d.holds(), " "), "")
			}
		})
	}
}

// chaosPods are pods with one claim of their own and one shared claim.
func (w *world) chaosPods() []*corev1.Pod {
	shared := claim("shared", "a", "b")
	var pods []*corev1.Pod
	for i := range 6 {
		own := fmt.Sprintf("own-%d", i)
		p := pod(fmt.Sprintf("p%d", i), own, "shared")
		w.reserve(claim(own, []string{"a", "b"}[i%2]), p)
		w.reserve(shared, p)
		pods = append(pods, p)
	}
	return pods
}

// chaosStep starts or stops a pod, or gives up half-way.
func (w *world) chaosStep(c *chaos, p *corev1.Pod) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	if c.hits(5) {
		go cancel()
	}
	if c.pick(2) == 0 {
		if w.manager.Unprepare(ctx, p) == nil && w.manager.MightNeedToUnprepare(p.UID) {
			w.t.Errorf("pod %s is unprepared, but has claims", p.Name)
		}
		return
	}
	if w.manager.Prepare(ctx, p) != nil {
		return
	}
	ids, err := w.manager.ContainerCDIDevices(w.ctx, p, &p.Spec.Containers[0])
	if err != nil || len(ids) != 3 {
		w.t.Errorf("pod %s is prepared, but its devices are %v, %v", p.Name, ids, err)
	}
}

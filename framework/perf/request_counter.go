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

package perf

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requestCounter counts this program's write requests by verb and resource, such as "POST pods", to exclude
// them from the components' requests.
type requestCounter struct {
	mutex sync.Mutex
	times map[string]int
}

func (d *requestCounter) count(what string, times int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.times == nil {
		d.times = map[string]int{}
	}
	d.times[what] += times
}

// take returns the requests since the last call.
func (d *requestCounter) take() map[string]int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	take := maps.Clone(d.times)
	clear(d.times)
	return take
}

// publishAll publishes the given number of devices on each node.
func (f *fixture) publishAll(ctx context.Context, w Workload, devices int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(createdAtOnce)
	for node := range f.nodes {
		group.Go(func() error { return f.publish(ctx, w, node, devices) })
	}
	return group.Wait()
}

// publish publishes a node's devices as the next generation of its pool. It must not be called
// concurrently for the same node.
func (f *fixture) publish(ctx context.Context, w Workload, node, devices int) error {
	f.generations[node]++
	api := f.client.ResourceV1().ResourceSlices()
	for _, slice := range w.slices(f.nodes[node].Name, f.generations[node], devices) {
		what := "PUT resourceslices"
		_, err := api.Update(ctx, slice, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) {
			what = "POST resourceslices"
			_, err = api.Create(ctx, slice, metav1.CreateOptions{})
		}
		if err != nil {
			return fmt.Errorf("publish slice %s: %w", slice.Name, err)
		}
		f.count(what, 1)
	}
	return nil
}

// change applies a workload's changes until stop is called. stop returns their error, and whole is
// canceled on the first error.
func (f *fixture) change(ctx context.Context, w Workload) (whole context.Context, stop func() error) {
	group, whole := errgroup.WithContext(ctx)
	running, cancel := context.WithCancel(whole)
	each := func(perSecond int, change func(i int) error) {
		if perSecond == 0 {
			return
		}
		group.Go(func() error {
			pace := rate.NewLimiter(rate.Limit(perSecond), 1)
			for i := 0; pace.Wait(running) == nil; i++ {
				if err := change(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	each(w.Changes.Slices, func(i int) error { return f.publish(ctx, w, i%len(f.nodes), w.Devices) })
	passing := f.passing()
	each(w.Changes.Nodes, func(i int) error {
		if i%2 == 0 {
			return f.addNode(ctx, passing)
		}
		return f.removeNode(ctx, passing.Name)
	})
	return whole, func() error {
		cancel()
		err := group.Wait()
		if w.Changes.Nodes > 0 && err == nil {
			err = f.removeNode(ctx, passing.Name)
		}
		return err
	}
}

// passing returns a node without devices.
func (f *fixture) passing() *corev1.Node {
	like := f.nodes[0].DeepCopy()
	like.ObjectMeta = metav1.ObjectMeta{Name: "passing", Labels: like.Labels, Annotations: like.Annotations}
	like.Labels[corev1.LabelHostname] = like.Name
	return like
}

func (f *fixture) addNode(ctx context.Context, node *corev1.Node) error {
	f.count("POST nodes", 1)
	if _, err := f.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create node %s: %w", node.Name, err)
	}
	return nil
}

// removeNode removes a node if it exists.
func (f *fixture) removeNode(ctx context.Context, name string) error {
	f.count("DELETE nodes", 1)
	if err := f.client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete node %s: %w", name, err)
	}
	return nil
}

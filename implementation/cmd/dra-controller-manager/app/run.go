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

package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
)

// errShutdown means controllers did not stop in time.
var errShutdown = errors.New("controllers did not finish in time")

// run serves and works until ctx ends. It fails if it cannot start or loses leadership.
func run(ctx context.Context, c *config) error {
	klog.FromContext(ctx).Info("Starting", "version", version.Get().String())
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(c.kubeconfig, c.program.Name))
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	m := &manager{config: c, client: client, descriptors: c.program.chosen(c.generic.Controllers)}
	e, err := newElection(ctx, c)
	if err != nil {
		return err
	}
	stopped, err := serve(ctx, c, e, m.ready)
	if err != nil {
		return err
	}
	err = e.run(ctx, m.work)
	if ctx.Err() != nil {
		// Pending requests are answered until the port is closed.
		<-stopped
	}
	return err
}

type manager struct {
	*config
	client      kubernetes.Interface
	descriptors []Descriptor
	// controllers are set once this process is the leader.
	controllers atomic.Pointer[[]running]
}

// work runs the controllers until ctx ends. It can only be called once per process.
func (m *manager) work(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(m.client, resync(m.generic.MinResyncPeriod.Duration), informers.WithTransform(slim))
	controllers, err := m.build(ctx, factory)
	if err != nil {
		return err
	}
	m.controllers.Store(&controllers)
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	var all sync.WaitGroup
	for _, c := range controllers {
		all.Go(func() { c.Run(klog.NewContext(ctx, klog.LoggerWithName(klog.FromContext(ctx), c.name)), c.workers) })
	}
	<-ctx.Done()
	finished := make(chan struct{})
	go func() {
		all.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-time.After(m.shutdownTimeout):
		return errShutdown
	}
}

// ready returns the reason why the controllers do not work yet. A candidate waiting for leadership is
// ready.
func (m *manager) ready() error {
	controllers := m.controllers.Load()
	if controllers == nil {
		return nil
	}
	for _, c := range *controllers {
		if !c.HasSynced() {
			return fmt.Errorf("%s waits for its caches", c.name)
		}
	}
	return nil
}

// slim drops large fields no controller reads: of pods everything unrelated to claims. Controllers get
// complete pods from the API server.
func slim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	if pod, ok := object.(*corev1.Pod); ok {
		spec, status := pod.Spec, pod.Status
		pod.Spec = corev1.PodSpec{NodeName: spec.NodeName, ResourceClaims: spec.ResourceClaims, SchedulingGroup: spec.SchedulingGroup}
		pod.Status = corev1.PodStatus{
			Phase: status.Phase, Conditions: status.Conditions,
			ResourceClaimStatuses: status.ResourceClaimStatuses, ExtendedResourceClaimStatus: status.ExtendedResourceClaimStatus,
		}
	}
	return object, nil
}

// resync returns a random time between period and twice the period, so processes started together do
// not repeat their work at the same time.
func resync(period time.Duration) time.Duration {
	return period + time.Duration(rand.Float64()*float64(period))
}

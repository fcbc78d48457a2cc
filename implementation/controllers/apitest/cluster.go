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

package apitest

import (
	"context"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2/ktesting"
)

// Main runs the tests of a controller and fails on leaked goroutines.
func Main(m *testing.M) {
	// Keep logging, drop rate limiting: its state carries over from other tests' clocks.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	goleak.VerifyTestMain(m)
}

// Cluster is an API server with a controller, in a synctest bubble. Its objects are in the
// namespace "ns".
type Cluster struct {
	*testing.T
	*fake.Clientset
	Ctx context.Context
	// Ready reports whether the controller has synced.
	Ready func() bool
	// Stop stops the controller and waits for it.
	Stop func()
	// Metrics gathers the controller's metrics.
	Metrics metrics.Gatherer
}

// Story runs a test against an API server holding objects. Time advances when everything is idle.
func Story(t *testing.T, tell func(*Cluster), objects ...runtime.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		c := &Cluster{T: t, Clientset: New(objects...), Ctx: ctx, Stop: func() {}}
		defer func() { c.Stop() }()
		tell(c)
	})
}

// Controller is run by Start.
type Controller interface {
	HasSynced() bool
	Run(ctx context.Context, workers int)
}

// Start starts a controller made with an informer factory, replacing a running one. Its metrics are
// in a new registry.
func (c *Cluster) Start(create func(context.Context, informers.SharedInformerFactory, metrics.KubeRegistry) (Controller, error)) {
	c.Helper()
	c.Stop()
	ctx, cancel := context.WithCancel(c.Ctx)
	factory, registry := informers.NewSharedInformerFactory(c, 0), metrics.NewKubeRegistry()
	controller, err := create(ctx, factory, registry)
	if err != nil {
		c.Fatal(err)
	}
	c.Metrics = registry
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() {
		controller.Run(ctx, 3)
		close(ended)
	}()
	c.Ready = controller.HasSynced
	c.Stop = func() {
		cancel()
		<-ended
		factory.Shutdown()
		c.Stop = func() {}
	}
	synctest.Wait()
}

// Must ends the test on an error.
func (c *Cluster) Must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// Events returns the recorded events as "type reason: message".
func (c *Cluster) Events() []string {
	c.Helper()
	list, err := c.CoreV1().Events("ns").List(c.Ctx, metav1.ListOptions{})
	c.Must(err)
	var all []string
	for _, e := range list.Items {
		all = append(all, e.Type+" "+e.Reason+": "+e.Message)
	}
	return all
}

// Calls counts the calls of a kind.
func (c *Cluster) Calls(verb, resource string) int {
	count := 0
	for _, action := range c.Actions() {
		if action.Matches(verb, resource) {
			count++
		}
	}
	return count
}

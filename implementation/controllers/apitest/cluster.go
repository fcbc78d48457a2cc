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

// Main runs the tests of a controller, and fails if goroutines are left.
func Main(m *testing.M) {
	// Logged, but not slowed down: what does that has a memory of other tests' time.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	goleak.VerifyTestMain(m)
}

// Cluster is an API server with a controller, in a bubble of synctest. Its objects are
// in the namespace "ns".
type Cluster struct {
	*testing.T
	*fake.Clientset
	Ctx context.Context
	// Ready is the controller's answer to whether it has synced.
	Ready func() bool
	// Stop stops the controller and returns when it has stopped.
	Stop func()
	// Metrics are the controller's.
	Metrics metrics.Gatherer
}

// Story runs a test with an API server that has some objects. Time passes by itself
// when nothing else happens.
func Story(t *testing.T, tell func(*Cluster), objects ...runtime.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		c := &Cluster{T: t, Clientset: New(objects...), Ctx: ctx, Stop: func() {}}
		defer func() { c.Stop() }()
		tell(c)
	})
}

// Controller is what Start runs.
type Controller interface {
	HasSynced() bool
	Run(ctx context.Context, workers int)
}

// Start starts a controller that is made with a factory and has its metrics in a
// registry, instead of one that runs.
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

// Must ends the test if there is an error.
func (c *Cluster) Must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// Events returns the events that were recorded, as "type reason: message".
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

package resourceclaim_test

import (
	"context"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2/ktesting"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
)

func TestMain(m *testing.M) {
	// Logged, but not slowed down: what does that has a memory of other tests' time.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	goleak.VerifyTestMain(m)
}

// cluster is an API server with a controller.
type cluster struct {
	*testing.T
	*fake.Clientset
	ctx context.Context
	// ready is the controller's answer to whether it has synced, after settle.
	ready func() bool
	stop  func()
	// metrics are the controller's.
	metrics metrics.Gatherer
}

// story runs a test with an API server that has some objects. Time passes by itself
// when nothing else happens.
func story(t *testing.T, tell func(*cluster), objects ...runtime.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		_, ctx := ktesting.NewTestContext(t)
		c := &cluster{T: t, Clientset: apitest.New(objects...), ctx: ctx, stop: func() {}}
		defer func() { c.stop() }()
		tell(c)
	})
}

// start starts the controller, instead of one that runs.
func (c *cluster) start() {
	c.Helper()
	c.stop()
	ctx, cancel := context.WithCancel(c.ctx)
	factory := informers.NewSharedInformerFactory(c, 0)
	controller, err := resourceclaim.New(ctx, c, factory)
	if err != nil {
		c.Fatal(err)
	}
	registry := metrics.NewKubeRegistry()
	controller.Register(registry.MustRegister, registry.CustomMustRegister)
	c.metrics = registry
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() {
		controller.Run(ctx, 3)
		close(ended)
	}()
	c.ready = controller.HasSynced
	c.stop = func() {
		cancel()
		<-ended
		factory.Shutdown()
		c.stop = func() {}
	}
	synctest.Wait()
}

func (c *cluster) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// claims returns all claims, those of the namespace "ns".
func (c *cluster) claims() []resourceapi.ResourceClaim {
	c.Helper()
	list, err := c.ResourceV1().ResourceClaims("ns").List(c.ctx, metav1.ListOptions{})
	c.must(err)
	return list.Items
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.CoreV1().Pods("ns").Get(c.ctx, name, metav1.GetOptions{})
	c.must(err)
	return pod
}

func (c *cluster) setPhase(name string, phase corev1.PodPhase) {
	c.Helper()
	pod := c.pod(name).DeepCopy()
	pod.Status.Phase = phase
	_, err := c.CoreV1().Pods("ns").UpdateStatus(c.ctx, pod, metav1.UpdateOptions{})
	c.must(err)
	synctest.Wait()
}

func (c *cluster) deletePod(name string) {
	c.Helper()
	c.must(c.CoreV1().Pods("ns").Delete(c.ctx, name, metav1.DeleteOptions{}))
	synctest.Wait()
}

// only returns the one claim there is.
func (c *cluster) only() *resourceapi.ResourceClaim {
	c.Helper()
	claims := c.claims()
	if len(claims) != 1 {
		c.Fatalf("there are %d claims", len(claims))
	}
	return &claims[0]
}

// events returns the events that were recorded, as "reason: message".
func (c *cluster) events() []string {
	c.Helper()
	list, err := c.CoreV1().Events("ns").List(c.ctx, metav1.ListOptions{})
	c.must(err)
	var all []string
	for _, e := range list.Items {
		all = append(all, e.Type+" "+e.Reason+": "+e.Message)
	}
	return all
}

// calls counts the calls of a kind.
func (c *cluster) calls(verb, resource string) int {
	count := 0
	for _, action := range c.Actions() {
		if action.Matches(verb, resource) {
			count++
		}
	}
	return count
}

func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	for _, f := range change {
		f(p)
	}
	return p
}

func withTemplate(entry string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: new("template")})
	}
}

func withClaim(entry, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimName: &name})
	}
}

func template() *resourceapi.ResourceClaimTemplate {
	t := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "template"}}
	t.Spec.Labels = map[string]string{"color": "red"}
	t.Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "class"}}}
	return t
}

// userClaim is a claim that is allocated and reserved for pods.
func userClaim(users ...*corev1.Pod) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "shared", Finalizers: []string{resourceapi.Finalizer}}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, user := range users {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: user.Name, UID: user.UID})
	}
	return c
}

package tainteviction_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2/ktesting"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
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
	ready  func() bool
	config tainteviction.Config
	stop   func()
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
	controller, err := tainteviction.New(ctx, c, factory, c.config)
	if err != nil {
		c.Fatal(err)
	}
	registry := metrics.NewKubeRegistry()
	controller.Register(registry.MustRegister)
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

// pod returns a pod, nil if there is none.
func (c *cluster) pod(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.CoreV1().Pods("ns").Get(c.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.must(err)
	return pod
}

// condition returns status, reason and message of a rule's condition.
func (c *cluster) condition(name string) string {
	c.Helper()
	rule, err := c.ResourceV1().DeviceTaintRules().Get(c.ctx, name, metav1.GetOptions{})
	c.must(err)
	if len(rule.Status.Conditions) != 1 {
		c.Fatalf("the rule has the conditions %v", rule.Status.Conditions)
	}
	condition := rule.Status.Conditions[0]
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
}

func (c *cluster) setSlice(slice *resourceapi.ResourceSlice) {
	c.Helper()
	old, err := c.ResourceV1().ResourceSlices().Get(c.ctx, slice.Name, metav1.GetOptions{})
	c.must(err)
	slice.ResourceVersion, slice.UID = old.ResourceVersion, old.UID
	_, err = c.ResourceV1().ResourceSlices().Update(c.ctx, slice, metav1.UpdateOptions{})
	c.must(err)
	synctest.Wait()
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

// pod returns a pod that runs and uses the claim "claim".
func pod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	p.Spec.NodeName = "worker"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "entry", ResourceClaimName: new("claim")}}
	return p
}

// claim returns a claim that has the device "dev", for a pod.
func claim(user *corev1.Pod, tolerations ...resourceapi.DeviceToleration) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim"}}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "req", Driver: "driver", Pool: "pool", Device: "dev", Tolerations: tolerations}}}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: user.Name, UID: user.UID}}
	return c
}

// forAWhile tolerates all taints for a minute.
func forAWhile() resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: new(int64(60))}
}

// taint is one that was added when a test began.
func taint(effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: "broken", Effect: effect, TimeAdded: &metav1.Time{Time: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}}
}

func slice(taints ...resourceapi.DeviceTaint) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "driver", Pool: resourceapi.ResourcePool{Name: "pool"}, Devices: []resourceapi.Device{{Name: "dev", Taints: taints}}}}
}

// rule taints the device "dev".
func rule(effect resourceapi.DeviceTaintEffect) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule", Generation: 1},
		Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Device: new("dev")}, Taint: taint(effect)}}
}

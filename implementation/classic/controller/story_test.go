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

package controller_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

func TestImmediateAllocation(t *testing.T) {
	story(t, func(c *cluster) {
		c.driver.limit = -1
		c.start()
		claim, record := c.claim("c"), c.record("c")
		if c.node("c") != "a" || len(claim.Status.ReservedFor) > 0 || record == nil {
			t.Fatalf("claim %+v, record %+v", claim.Status, record)
		}
		want := v1alpha1.ClassicClaimStatus{Phase: v1alpha1.Allocated, ResourceHandle: "handle-a", UserLimit: -1}
		if diff := cmp.Diff(want, record.Status); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
		config, found, err := v1alpha1.AllocationConfigOf(claim.Status.Allocation)
		if !found || err != nil || config.ResourceHandle != "handle-a" || config.UserLimit != -1 {
			t.Errorf("configuration of the allocation: %+v, %t, %v", config, found, err)
		}
		if claim.Status.Allocation.AllocationTimestamp == nil {
			t.Error("Kubernetes' scheduler would add a timestamp, which is refused")
		}
		// A synced controller makes no calls.
		before := len(c.Actions()) + len(c.classic.Actions())
		time.Sleep(time.Hour)
		if after := len(c.Actions()) + len(c.classic.Actions()); after != before {
			t.Errorf("%d calls of the API server at rest", after-before)
		}
	}, newClaim("c", immediate))
}

func TestDelayedAllocation(t *testing.T) {
	story(t, func(c *cluster) {
		c.driver.give("b", "somebody")
		c.start()
		if len(c.driver.called()) > 0 || len(c.claim("c").Finalizers) > 0 {
			t.Fatalf("before any pod is scheduled: %v", c.driver.called())
		}
		c.schedule("p", "", "a", "b")
		scheduling, err := c.classic.PodSchedulings("ns").Get(c.Ctx, "p", metav1.GetOptions{})
		c.Must(err)
		want := []v1alpha1.ClaimSchedulingStatus{{Name: "c", ObservedGeneration: 1, UnsuitableNodes: []string{"b"}}}
		if diff := cmp.Diff(want, scheduling.Status.ResourceClaims); diff != "" {
			t.Fatalf("answer (-want +got):\n%s", diff)
		}
		c.schedule("p", "a", "a", "b")
		claim := c.claim("c")
		if c.node("c") != "a" || len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != c.pod("p").UID {
			t.Fatalf("status %+v", claim.Status)
		}
		// The pod is bound and ends.
		c.Must(c.classic.PodSchedulings("ns").Delete(c.Ctx, "p", metav1.DeleteOptions{}))
		c.free("c")
		if c.node("c") != "" || c.record("c") != nil || len(c.claim("c").Finalizers)+len(c.claim("c").Annotations) > 0 || c.driver.holders()["a"] != "" {
			t.Errorf("after the pod: %+v, record %v, held %v", c.claim("c"), c.record("c"), c.driver.holders())
		}
	}, newClaim("c", ""), newPod("p", "c"))
}

func TestTheSelectedNodeIsTakenMeanwhile(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		c.driver.failing("allocate ", errors.New("no device is left"))
		c.schedule("p", "a", "a", "b")
		if c.node("c") != "" || !slices.ContainsFunc(c.Events(), func(e string) bool {
			return strings.Contains(e, `Warning Failed: allocate claim ns/c for node "a": no device is left`)
		}) {
			t.Fatalf("allocated %q, events %q", c.node("c"), c.Events())
		}
		c.driver.give("a", "somebody")
		c.driver.failing("allocate ", nil)
		time.Sleep(recheckAndMore)
		scheduling, err := c.classic.PodSchedulings("ns").Get(c.Ctx, "p", metav1.GetOptions{})
		c.Must(err)
		if nodes := scheduling.Status.ResourceClaims[0].UnsuitableNodes; !slices.Equal(nodes, []string{"a"}) {
			t.Errorf("unsuitable are %v", nodes)
		}
		if c.record("c") != nil || len(c.claim("c").Finalizers) > 0 {
			t.Errorf("the attempt is left: %+v, %v", c.record("c"), c.claim("c").Finalizers)
		}
		c.schedule("p", "b", "a", "b")
		if c.node("c") != "b" {
			t.Errorf("allocated on %q", c.node("c"))
		}
	}, newClaim("c", ""), newPod("p", "c"))
}

const recheckAndMore = 5 * time.Minute

func TestDriversWaitForEachOther(t *testing.T) {
	other := newClaim("d", "")
	other.Spec.Devices.Requests[0].Exactly.DeviceClassName = "other"
	story(t, func(c *cluster) {
		c.createOther()
		c.start()
		c.schedule("p", "a", "a")
		if c.node("c") != "" {
			t.Fatal("allocated before the other driver has answered")
		}
		answer := func(unsuitable ...string) {
			scheduling, err := c.classic.PodSchedulings("ns").Get(c.Ctx, "p", metav1.GetOptions{})
			c.Must(err)
			entry := v1alpha1.ClaimSchedulingStatus{Name: "d", ObservedGeneration: scheduling.Generation, UnsuitableNodes: unsuitable}
			scheduling.Status.ResourceClaims = append(scheduling.Status.ResourceClaims[:1], entry)
			_, err = c.classic.PodSchedulings("ns").UpdateStatus(c.Ctx, scheduling, metav1.UpdateOptions{})
			c.Must(err)
			synctest.Wait()
		}
		answer("a")
		if c.node("c") != "" {
			t.Fatal("allocated where the other driver cannot")
		}
		answer()
		if c.node("c") != "a" || c.node("d") != "" {
			t.Errorf("c is allocated on %q, d on %q", c.node("c"), c.node("d"))
		}
	}, newClaim("c", ""), other, otherClass(), newPod("p", "c", "d"))
}

func TestDeletionWaitsForTheDriver(t *testing.T) {
	story(t, func(c *cluster) {
		c.driver.failing("deallocate ", errors.New("the switch does not answer"))
		c.start()
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "c", metav1.DeleteOptions{}))
		synctest.Wait()
		claim := c.claim("c")
		if claim == nil || claim.Status.Allocation != nil || c.driver.holders()["a"] == "" {
			t.Fatalf("claim %+v, held %v", claim, c.driver.holders())
		}
		c.driver.failing("deallocate ", nil)
		time.Sleep(recheckAndMore)
		if c.claim("c") != nil || c.record("c") != nil || len(c.driver.holders()) > 0 {
			t.Errorf("claim %+v, record %+v, held %v", c.claim("c"), c.record("c"), c.driver.holders())
		}
	}, newClaim("c", immediate))
}

func TestAllocationThatIsClearedIsFreed(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		claim := c.claim("c")
		claim.Status = resourceapi.ResourceClaimStatus{}
		_, err := c.ResourceV1().ResourceClaims("ns").UpdateStatus(c.Ctx, claim, metav1.UpdateOptions{})
		c.Must(err)
		time.Sleep(time.Minute)
		// It is immediate, so it is allocated again.
		if want := []string{"allocate ", "deallocate handle-a", "allocate "}; !slices.Equal(c.driver.called(), want) || c.node("c") != "a" {
			t.Errorf("calls %q, allocated on %q", c.driver.called(), c.node("c"))
		}
	}, newClaim("c", immediate))
}

func TestRequestedDeallocation(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		c.schedule("p", "a", "a", "b")
		record := c.record("c")
		record.Spec.DeallocationRequested = true
		_, err := c.classic.ClassicClaims("ns").Update(c.Ctx, record, metav1.UpdateOptions{})
		c.Must(err)
		synctest.Wait()
		if c.node("c") != "a" {
			t.Fatal("deallocated although a pod has reserved it")
		}
		c.schedule("p", "b", "a", "b")
		c.free("c")
		time.Sleep(time.Minute)
		if c.node("c") != "b" || c.driver.holders()["a"] != "" || c.record("c").UID == record.UID {
			t.Errorf("allocated on %q, held %v", c.node("c"), c.driver.holders())
		}
	}, newClaim("c", ""), newPod("p", "c"))
}

func TestMistakesAreTold(t *testing.T) {
	wrong := newClaim("wrong", `,"allocationMode":"Delayed"`)
	others := newClaim("others", `,"allocationMode":"Delayed"`)
	others.Spec.Devices.Requests[0].Exactly.DeviceClassName = "other"
	lost := newClaim("lost", immediate+`,"parametersRef":{"kind":"ConfigMap","name":"missing"}`)
	story(t, func(c *cluster) {
		c.createOther()
		c.start()
		time.Sleep(time.Second)
		if events := strings.Count(strings.Join(c.Events(), "\n"), "is neither"); events != 1 {
			t.Errorf("the mistake is told %d times, want once: the other claim is another driver's", events)
		}
		for _, want := range []string{`allocationMode "Delayed" is neither`, `read parameters of claim ns/lost: configmap "missing" not found`} {
			if !slices.ContainsFunc(c.Events(), func(e string) bool { return strings.Contains(e, want) }) {
				t.Errorf("no event says %q: %q", want, c.Events())
			}
		}
		if len(c.driver.called()) > 0 {
			t.Errorf("calls %v", c.driver.called())
		}
	}, wrong, lost, others, otherClass())
}

// Parameters may be changed or deleted after allocation: the handle has all required information.
func TestParametersAreReadToAllocateOnly(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		claim, record := c.claim("c"), c.record("c")
		c.driver.failing("parameters", errors.New(`configmap "parameters" not found`))
		c.restart()
		time.Sleep(time.Minute)
		if diff := cmp.Diff(claim.Status, c.claim("c").Status); diff != "" || c.record("c").UID != record.UID {
			t.Fatalf("the claim is another one without its parameters (-before +after):\n%s", diff)
		}
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "c", metav1.DeleteOptions{}))
		synctest.Wait()
		if c.claim("c") != nil || c.record("c") != nil || len(c.driver.holders()) > 0 {
			t.Errorf("claim %+v, record %+v, held %v", c.claim("c"), c.record("c"), c.driver.holders())
		}
		if len(c.Events()) > 0 {
			t.Errorf("events %q", c.Events())
		}
	}, newClaim("c", immediate))
}

// The parameters are deleted after the driver has allocated and before the result is recorded: the
// claim waits for them, and deleting it frees its resource.
func TestParametersGoWhileTheDriverAllocates(t *testing.T) {
	story(t, func(c *cluster) {
		var once sync.Once
		c.classic.PrependReactor("update", "classicclaims/status", func(clienttesting.Action) (lost bool, _ runtime.Object, err error) {
			once.Do(func() {
				c.driver.failing("parameters", errors.New(`configmap "parameters" not found`))
				lost, err = true, apierrors.NewTimeoutError("the request is lost", 0)
			})
			return lost, nil, err
		})
		c.start()
		time.Sleep(time.Minute)
		if c.node("c") != "" || len(c.driver.holders()) != 1 {
			t.Fatalf("allocated on %q, held %v", c.node("c"), c.driver.holders())
		}
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "c", metav1.DeleteOptions{}))
		time.Sleep(time.Minute)
		if c.claim("c") != nil || c.record("c") != nil || len(c.driver.holders()) > 0 {
			t.Errorf("claim %+v, record %+v, held %v", c.claim("c"), c.record("c"), c.driver.holders())
		}
	}, newClaim("c", immediate))
}

// The controller crashes at each of its writes in turn, before or after it; its successor completes
// the claim.
func TestKilledAtAnyWrite(t *testing.T) {
	for _, done := range []bool{false, true} {
		killed := true
		n := 0
		for ; killed; n++ {
			killed = killedAt(t, n, done)
		}
		// Finalizer, record, two statuses; two statuses, finalizer and record, finalizer.
		if n < 9 {
			t.Errorf("only %d writes", n-1)
		}
	}
}

// killedAt runs a claim's lifecycle with a controller crashing at its nth write, and reports
// whether it got that far.
func killedAt(t *testing.T, n int, done bool) (killed bool) {
	story(t, func(c *cluster) {
		var writes atomic.Int32
		lost := apierrors.NewTimeoutError("the request is lost", 0)
		kill := func(action clienttesting.Action) (bool, runtime.Object, error) {
			if byTest := action.Matches("delete", "resourceclaims"); byTest || action.GetResource().Resource == "events" {
				return false, nil, nil
			}
			if c.driver.dead.Load() {
				return true, nil, lost
			}
			if int(writes.Add(1)) != n+1 {
				return false, nil, nil
			}
			c.driver.dead.Store(true)
			return !done, nil, lost
		}
		for _, verb := range []string{"create", "update", "delete"} {
			c.PrependReactor(verb, "*", kill)
			c.classic.PrependReactor(verb, "*", kill)
		}
		c.start()
		time.Sleep(time.Minute)
		c.restart()
		time.Sleep(time.Minute)
		if c.node("c") == "" || len(c.driver.holders()) != 1 {
			t.Fatalf("killed at write %d: allocated on %q, held %v", n, c.node("c"), c.driver.holders())
		}
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "c", metav1.DeleteOptions{}))
		time.Sleep(time.Minute)
		c.restart()
		time.Sleep(time.Minute)
		if c.claim("c") != nil || c.record("c") != nil || len(c.driver.holders()) > 0 {
			t.Fatalf("killed at write %d: claim %v, record %v, held %v", n, c.claim("c"), c.record("c"), c.driver.holders())
		}
		killed = int(writes.Load()) > n
	}, newClaim("c", immediate))
	return killed
}

func TestAllocationIsRefused(t *testing.T) {
	story(t, func(c *cluster) {
		invalid := apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "c", nil)
		apitest.Fail(c.Clientset, "update", "resourceclaims/status", invalid)
		c.start()
		time.Sleep(time.Minute)
		if want := []string{"allocate ", "deallocate handle-a", "allocate "}; !slices.Equal(c.driver.called(), want) || c.node("c") != "a" {
			t.Errorf("calls %q, allocated on %q", c.driver.called(), c.node("c"))
		}
	}, newClaim("c", immediate))
}

func TestStockSchedulerIsExplained(t *testing.T) {
	waiting := newPod("waiting", "c")
	waiting.Spec.SchedulerName = "default-scheduler"
	unschedulable := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}
	waiting.Status.Conditions = []corev1.PodCondition{unschedulable}
	story(t, func(c *cluster) {
		c.start()
		events := c.Events()
		if len(events) != 1 || !strings.Contains(events[0], "WaitingForScheduler: claim c is allocated by driver test-driver.example.com once") {
			t.Errorf("events %q", events)
		}
	}, newClaim("c", ""), waiting, newPod("untried", "c"))
}

func TestDriverCallsAreMeasured(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		families, err := c.Metrics.Gather()
		c.Must(err)
		calls := map[string]uint64{}
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				calls[metric.GetLabel()[0].GetValue()+" "+metric.GetLabel()[1].GetValue()] = metric.GetHistogram().GetSampleCount()
			}
		}
		if diff := cmp.Diff(map[string]uint64{"allocate success": 1, "parameters success": 1}, calls); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}, newClaim("c", immediate))
}

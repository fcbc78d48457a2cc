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

package composable_test

import (
	"errors"
	"strings"
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
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

func TestFreeDevicesArePublished(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		if got := c.slots(); got != "free-0 free-1" || !c.Ready() {
			c.Fatalf("slots %q", got)
		}
		c.wait(time.Minute)
		if n := c.Calls("update", "resourceslices") + c.Calls("create", "resourceslices"); n != 1 {
			c.Errorf("%d writes although nothing has changed", n)
		}
		c.fabric.Take("a100-0")
		c.wait(9 * time.Second)
		if got := c.slots(); got != "free-0 free-1" {
			c.Errorf("slots %q before the next look", got)
		}
		c.wait(2 * time.Second)
		if got := c.slots(); got != "free-0" || c.Calls("update", "resourceslices") != 1 {
			c.Errorf("slots %q", got)
		}
		c.wantCounter("composable_controller_slice_writes_total", `# HELP composable_controller_slice_writes_total [ALPHA] Number of ResourceSlice creations, updates and deletions.
# TYPE composable_controller_slice_writes_total counter
composable_controller_slice_writes_total 2
`)
	})
}

func TestDeviceBecomesReady(t *testing.T) {
	story(t, func(c *cluster) {
		c.fabric.Takes = 3 * time.Second
		c.start()
		if got := c.conditions(); got != "" {
			c.Errorf("said %q before the device is there", got)
		}
		c.wait(2900 * time.Millisecond)
		if got := c.conditions(); got != "" {
			c.Errorf("said %q before the device is there", got)
		}
		c.wait(300 * time.Millisecond)
		if got := c.conditions(); got != fabricplan.Attached+" Attached" {
			c.Errorf("said %q", got)
		}
		c.wait(10 * time.Second)
		if got := c.slots(); got != "free-0" {
			c.Errorf("slots %q: free-1 has got its device", got)
		}
		if diff := cmp.Diff([]string{"Normal Attached: device a100-0 was attached to node worker"}, c.Events()); diff != "" {
			c.Error(diff)
		}
		c.wait(time.Hour)
		if attached, detached := c.fabric.Count(); attached != 1 || detached != 0 {
			c.Errorf("attached %d, detached %d", attached, detached)
		}
	}, allocated("free-1"))
}

func TestPodIsScheduledToTheLocalDevice(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		c.wait(time.Minute)
		if got := c.conditions(); got != "" {
			c.Fatalf("said %q before the driver publishes the device", got)
		}
		_, err := c.ResourceV1().ResourceSlices().Create(c.Ctx, local("a100-0"), metav1.CreateOptions{})
		c.Must(err)
		synctest.Wait()
		if got := c.conditions(); got != fabricplan.AttachedAsLocal+" Attached" {
			c.Errorf("said %q", got)
		}
		if attached, _ := c.fabric.Count(); attached != 1 {
			c.Errorf("attached %d devices", attached)
		}
	}, reschedule(allocated("free-0")))
}

// A device failing before it is reported to the scheduler does not count.
func TestDeviceThatDiesWhileItIsAwaited(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		c.fabric.Kill("a100-0")
		c.wait(11 * time.Second)
		if got := c.conditions(); got != fabricplan.AttachFailed+" DeviceDied" {
			c.Errorf("said %q", got)
		}
	}, reschedule(allocated("free-0")))
}

func TestAttachFails(t *testing.T) {
	for want, prepare := range map[string]func(*cluster){
		"AttachFailed": func(c *cluster) { c.fabric.Fail, c.fabric.Takes = "cable", time.Second },
		"NoneFree":     func(c *cluster) { c.fabric.Take("a100-0"); c.fabric.Take("a100-1") },
		"NoNode":       func(c *cluster) { c.Must(c.CoreV1().Nodes().Delete(c.Ctx, node, metav1.DeleteOptions{})) },
	} {
		t.Run(want, func(t *testing.T) {
			story(t, func(c *cluster) {
				prepare(c)
				c.start()
				c.wait(2 * time.Second)
				if got := c.conditions(); got != fabricplan.AttachFailed+" "+want {
					c.Errorf("said %q", got)
				}
				if events := c.Events(); len(events) != 1 || !strings.HasPrefix(events[0], "Warning "+want) {
					c.Errorf("events %v", events)
				}
			}, allocated("free-0"))
		})
	}
}

// Restarts never attach more than one device per allocation.
func TestRestartsAttachOnce(t *testing.T) {
	story(t, func(c *cluster) {
		c.fabric.Takes = 5 * time.Second
		for range 6 {
			c.start()
			c.wait(time.Second)
		}
		c.wait(time.Minute)
		if got := c.conditions(); got != fabricplan.Attached+" Attached" {
			c.Errorf("said %q", got)
		}
		if attached, detached := c.fabric.Count(); attached != 1 || detached != 0 {
			c.Errorf("attached %d, detached %d", attached, detached)
		}
	}, allocated("free-0"))
}

func TestFabricIsAway(t *testing.T) {
	story(t, func(c *cluster) {
		c.fabric.Break(errors.New("no answer"))
		c.start()
		c.wait(time.Minute)
		if got := c.conditions(); got != "" || c.slots() != "" {
			c.Errorf("said %q", got)
		}
		if events := c.Events(); len(events) == 0 || events[0] != "Warning FabricUnavailable: attach a device of model a100 to node worker: no answer" {
			c.Errorf("events %v", events)
		}
		c.fabric.Break(nil)
		c.wait(1100 * time.Millisecond)
		if got := c.conditions(); got != fabricplan.Attached+" Attached" {
			c.Errorf("said %q one second after the fabric was back", got)
		}
	}, allocated("free-0"))
}

func TestStatusMayNotBeWritten(t *testing.T) {
	for name, no := range map[string]error{
		"status": apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "claim", errors.New("not allowed")),
		// Message of v1.36 and later, about the driver's devices.
		"devices": apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "claim",
			field.ErrorList{field.Forbidden(field.NewPath("status", "devices"), "not allowed")}),
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				apitest.Fail(c.Clientset, "update", "resourceclaims/status", no, no)
				c.start()
				if got := c.conditions(); got != "" {
					c.Errorf("said %q", got)
				}
				c.wait(3 * time.Second)
				if got := c.conditions(); got != fabricplan.Attached+" Attached" {
					c.Errorf("said %q", got)
				}
				if events := c.Events(); len(events) == 0 || !strings.Contains(events[0], "StatusForbidden") {
					c.Errorf("events %v", events)
				}
			}, allocated("free-0"))
		})
	}
}

func TestAbandonedDeviceIsDetached(t *testing.T) {
	story(t, func(c *cluster) {
		c.fabric.Takes = 3 * time.Second
		c.start()
		c.deallocate() // as after a timeout
		c.wait(time.Minute)
		if _, detached := c.fabric.Count(); detached != 0 {
			c.Error("detached too early")
		}
		c.wait(time.Minute)
		if attached, detached := c.fabric.Count(); attached != 1 || detached != 1 {
			c.Errorf("attached %d, detached %d", attached, detached)
		}
		if got := c.slots(); got != "free-0 free-1" {
			c.Errorf("slots %q", got)
		}
	}, allocated("free-0"))
}

// A driver's device is tainted before it is detached, and kept if a pod was allocated it meanwhile.
func TestIdleLocalDevice(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		c.deallocate()
		_, err := c.ResourceV1().ResourceSlices().Create(c.Ctx, local("a100-0"), metav1.CreateOptions{})
		c.Must(err)
		rules := func() int {
			list, err := c.ResourceV1().DeviceTaintRules().List(c.Ctx, metav1.ListOptions{})
			c.Must(err)
			return len(list.Items)
		}
		for rules() == 0 {
			c.wait(time.Second)
		}
		claim := allocated("a100-0")
		claim.Name = "other"
		_, err = c.ResourceV1().ResourceClaims("ns").Create(c.Ctx, claim, metav1.CreateOptions{})
		c.Must(err)
		c.wait(time.Minute)
		if _, detached := c.fabric.Count(); detached != 0 || rules() != 0 {
			c.Fatalf("detached in use; %d rules", rules())
		}
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "other", metav1.DeleteOptions{}))
		c.wait(2 * time.Minute)
		if _, detached := c.fabric.Count(); detached != 1 || rules() != 1 {
			c.Fatalf("not detached; %d rules", rules())
		}
		c.Must(c.ResourceV1().ResourceSlices().Delete(c.Ctx, "local", metav1.DeleteOptions{}))
		c.wait(11 * time.Second)
		if rules() != 0 {
			c.Error("the taint is still there")
		}
	}, allocated("free-0"))
}

func TestRefreshAfterActs(t *testing.T) {
	story(t, func(c *cluster) {
		c.config.RefreshAfterActs = true
		c.start()
		c.wait(time.Second)
		if got := c.slots(); got != "free-1" {
			c.Errorf("slots %q", got)
		}
	}, allocated("free-0"))
}

// The cache may miss the use of a device; the API server does not.
func TestClaimsAreReadBeforeADeviceIsDetached(t *testing.T) {
	story(t, func(c *cluster) {
		var used atomic.Bool
		user := allocated("a100-0")
		c.PrependReactor("list", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
			return used.Load(), &resourceapi.ResourceClaimList{Items: []resourceapi.ResourceClaim{*user}}, nil
		})
		c.start()
		c.deallocate()
		used.Store(true)
		c.wait(5 * time.Minute)
		if _, detached := c.fabric.Count(); detached != 0 {
			c.Error("detached in use")
		}
	}, allocated("free-0"))
}

// With several errors, the first decided for all: a forbidden slice delayed an outdated rule, and
// an outdated slice hid a forbidden write from the log.
func TestEachErrorOfALookCountsForItself(t *testing.T) {
	denied := apierrors.NewForbidden(resourceapi.Resource("resourceslices"), "slice", errors.New("not allowed"))
	outdated := apierrors.NewAlreadyExists(resourceapi.Resource("devicetaintrules"), "rule")
	story(t, func(c *cluster) {
		var refuseSlice, refuseRule atomic.Bool
		c.PrependReactor("update", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) { return refuseSlice.Swap(false), nil, denied })
		c.PrependReactor("create", "devicetaintrules", func(clienttesting.Action) (bool, runtime.Object, error) { return refuseRule.Swap(false), nil, outdated })
		c.start()
		c.deallocate()
		_, err := c.ResourceV1().ResourceSlices().Create(c.Ctx, local("a100-0"), metav1.CreateOptions{})
		c.Must(err)
		c.wait(65 * time.Second) // the next look is at 70 s
		c.fabric.Take("a100-1")
		refuseSlice.Store(true)
		refuseRule.Store(true)
		c.wait(5500 * time.Millisecond)
		if n := c.Calls("create", "devicetaintrules"); n != 2 || c.slots() != "" {
			c.Errorf("half a second after the look the rule was created %d times, slots %q", n, c.slots())
		}
	}, allocated("free-0"))
}

// Another owner's slice with the same name does not mean the cache is stale.
func TestNameThatSomebodyElseHasIsNotTriedForeverInAHurry(t *testing.T) {
	story(t, func(c *cluster) {
		taken := apierrors.NewAlreadyExists(resourceapi.Resource("resourceslices"), "slice")
		c.PrependReactor("create", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, taken })
		c.start()
		c.wait(time.Minute)
		if n := c.Calls("create", "resourceslices"); n < 10 || n > 20 {
			c.Errorf("tried %d times in a minute", n)
		}
	})
}

// A dead device looked dead until detached, causing refreshes in a busy loop.
func TestDeadDeviceIsNoReasonToLookAgainAtOnce(t *testing.T) {
	story(t, func(c *cluster) {
		c.config.RefreshAfterActs = true
		c.fabric.DetachTakes = time.Hour
		c.start()
		c.deallocate()
		c.fabric.Kill("a100-0")
		c.wait(10 * time.Minute)
		if n := c.fabric.Asked(); n < 2 || n > 60 {
			c.Errorf("asked %d times to detach it, once per look is 54", n)
		}
		c.wantCounter("composable_controller_detachments_total", `# HELP composable_controller_detachments_total [ALPHA] Number of detached idle devices.
# TYPE composable_controller_detachments_total counter
composable_controller_detachments_total 1
`)
	}, allocated("free-0"))
}

// The controller's cache may be behind the scheduler's: read the node from the API server.
func TestNodeThatTheCacheDoesNotKnowYet(t *testing.T) {
	story(t, func(c *cluster) {
		c.Must(c.CoreV1().Nodes().Delete(c.Ctx, node, metav1.DeleteOptions{}))
		var listed atomic.Int32
		c.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			list := &corev1.NodeList{}
			if listed.Add(1) > 1 { // the first fills the cache
				list.Items = []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, {ObjectMeta: metav1.ObjectMeta{Name: node}}}
			}
			return true, list, nil
		})
		c.start()
		c.wait(time.Second)
		if got := c.conditions(); got != fabricplan.Attached+" Attached" {
			c.Errorf("said %q", got)
		}
	}, allocated("free-0"))
}

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

package tainteviction_test

import (
	"errors"
	"slices"
	"strings"
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
	"k8s.io/component-base/metrics/testutil"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
)

const (
	none      = resourceapi.DeviceTaintEffectNone
	noExecute = resourceapi.DeviceTaintEffectNoExecute

	marking    = "Normal DeviceTaintManagerEviction: Marking for deletion"
	cancelling = "Normal DeviceTaintManagerEviction: Cancelling deletion"
)

func TestTaintInSliceEvicts(t *testing.T) {
	story(t, func(c *cluster) {
		c.config = tainteviction.Config{NoRules: true}
		// The condition is set before the pod is deleted.
		var conditions []corev1.PodCondition
		c.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			object, err := c.Tracker().Get(corev1.SchemeGroupVersion.WithResource("pods"), "ns", "web")
			conditions = object.(*corev1.Pod).Status.Conditions
			return false, nil, err
		})
		c.start()
		if c.pod("web") == nil || !c.Ready() {
			c.Fatal("evicted without taint, or not ready")
		}
		c.setSlice(slice(taint(noExecute)))
		if c.pod("web") != nil {
			c.Error("not evicted")
		}
		if len(conditions) != 1 || conditions[0].Type != corev1.DisruptionTarget || conditions[0].Reason != "DeletionByDeviceTaintManager" {
			c.Errorf("the pod had the conditions %v", conditions)
		}
		want := `# HELP device_taint_eviction_controller_pod_deletions_total [ALPHA] Number of pods evicted because of device taints.
# TYPE device_taint_eviction_controller_pod_deletions_total counter
device_taint_eviction_controller_pod_deletions_total 1
`
		c.Must(testutil.GatherAndCompare(c.Metrics, strings.NewReader(want), "device_taint_eviction_controller_pod_deletions_total"))
		if diff := cmp.Diff([]string{marking}, c.Events()); diff != "" {
			c.Errorf("wrong events:\n%s", diff)
		}
	}, pod("web"), claim(pod("web")), slice())
}

func TestTolerationForAWhile(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if c.pod("web") == nil {
			c.Error("evicted too early")
		}
		time.Sleep(2 * time.Second)
		if c.pod("web") != nil {
			c.Error("not evicted")
		}
	}, pod("web"), claim(pod("web"), forAWhile()), slice(taint(noExecute)))
}

func TestTaintThatGoesAway(t *testing.T) {
	for name, remove := range map[string]func(*cluster){
		"from the slice": func(c *cluster) { c.setSlice(slice()) },
		"with the slice": func(c *cluster) {
			c.Must(c.ResourceV1().ResourceSlices().Delete(c.Ctx, "slice", metav1.DeleteOptions{}))
		},
		"with the claim": func(c *cluster) {
			c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, "claim", metav1.DeleteOptions{}))
		},
		"with the reservation": func(c *cluster) {
			claim, err := c.ResourceV1().ResourceClaims("ns").Get(c.Ctx, "claim", metav1.GetOptions{})
			c.Must(err)
			claim = claim.DeepCopy()
			claim.Status.ReservedFor = nil
			_, err = c.ResourceV1().ResourceClaims("ns").UpdateStatus(c.Ctx, claim, metav1.UpdateOptions{})
			c.Must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				c.start()
				time.Sleep(time.Second)
				remove(c)
				time.Sleep(time.Hour)
				if c.pod("web") == nil {
					c.Error("evicted")
				}
				if diff := cmp.Diff([]string{cancelling}, c.Events()); diff != "" {
					c.Errorf("wrong events:\n%s", diff)
				}
			}, pod("web"), claim(pod("web"), forAWhile()), slice(taint(noExecute)))
		})
	}
}

// Pods that end or are deleted meanwhile are ignored.
func TestPodThatGoesAway(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		time.Sleep(time.Second)
		c.Must(c.CoreV1().Pods("ns").Delete(c.Ctx, "web", metav1.DeleteOptions{}))
		time.Sleep(time.Hour)
		if got := c.Events(); len(got) != 0 {
			c.Errorf("got the events %q", got)
		}
	}, pod("web"), claim(pod("web"), forAWhile()), slice(taint(noExecute)))
}

func TestRule(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		if got, want := c.condition("rule"), "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."; got != want {
			c.Errorf("at first: %s", got)
		}
		time.Sleep(61 * time.Second)
		if c.pod("web") != nil {
			c.Error("not evicted")
		}
		time.Sleep(10 * time.Second)
		if got, want := c.condition("rule"), "False Completed: 1 pod evicted since starting the controller."; got != want {
			c.Errorf("at last: %s", got)
		}
		c.Must(c.ResourceV1().DeviceTaintRules().Delete(c.Ctx, "rule", metav1.DeleteOptions{}))
		_, err := c.ResourceV1().DeviceTaintRules().Create(c.Ctx, rule(noExecute), metav1.CreateOptions{})
		c.Must(err)
		synctest.Wait()
		if got, want := c.condition("rule"), "False NotStarted: "; got != want {
			c.Errorf("made anew: %s", got)
		}
	}, pod("web"), claim(pod("web"), forAWhile()), rule(noExecute))
}

func TestRuleThatChanges(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		want := "False NoEffect: 1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace " +
			"if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."
		if got := c.condition("rule"); got != want {
			c.Errorf("without effect: %s", got)
		}
		change := func(effect resourceapi.DeviceTaintEffect) {
			rule, err := c.ResourceV1().DeviceTaintRules().Get(c.Ctx, "rule", metav1.GetOptions{})
			c.Must(err)
			rule = rule.DeepCopy()
			rule.Generation++
			rule.Spec.Taint.Effect = effect
			_, err = c.ResourceV1().DeviceTaintRules().Update(c.Ctx, rule, metav1.UpdateOptions{})
			c.Must(err)
			synctest.Wait()
		}
		change(resourceapi.DeviceTaintEffectNoSchedule)
		if got, want := c.condition("rule"), "False OtherEffect: Eviction only happens for the NoExecute effect."; got != want {
			c.Errorf("with another effect: %s", got)
		}
		change(noExecute)
		if got := c.condition("rule"); got != "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace." {
			c.Errorf("with effect: %s", got)
		}
		change(none)
		time.Sleep(time.Hour)
		if c.pod("web") == nil || !slices.Contains(c.Events(), cancelling) {
			c.Errorf("evicted, events %q", c.Events())
		}
	}, pod("web"), claim(pod("web"), forAWhile()), slice(), rule(none))
}

// kubernetes#141290
func TestExtendedResources(t *testing.T) {
	extended := pod("web")
	extended.Spec.ResourceClaims = nil
	extended.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "claim"}
	owned := claim(extended)
	owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "web", UID: "web", Controller: new(true)}}
	story(t, func(c *cluster) {
		c.start()
		if c.pod("web") != nil {
			c.Error("not evicted")
		}
	}, extended, owned, rule(noExecute))
}

// Each call may fail for various reasons and is retried.
func TestCallsThatFail(t *testing.T) {
	broken := errors.New("etcd is on holiday")
	conflict := apierrors.NewConflict(corev1.Resource("pods"), "web", broken)
	for name, tc := range map[string]struct{ verb, resource string }{
		"get":       {"get", "pods"},
		"condition": {"patch", "pods"},
		"delete":    {"delete", "pods"},
		"rule":      {"patch", "devicetaintrules"},
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				apitest.Fail(c.Clientset, tc.verb, tc.resource, broken, conflict, broken)
				c.start()
				time.Sleep(time.Minute)
				if n := c.Calls(tc.verb, tc.resource); n < 4 {
					c.Errorf("%d attempts", n)
				}
				if c.pod("web") != nil {
					c.Error("not evicted")
				}
				if got := c.condition("rule"); got != "False Completed: 1 pod evicted since starting the controller." {
					c.Errorf("the rule says %s", got)
				}
			}, pod("web"), claim(pod("web")), rule(noExecute))
		})
	}
}

// The cache shows a pod already deleted or replaced by another one.
func TestPodThatIsGoneAlready(t *testing.T) {
	other := pod("web")
	other.UID = "other"
	deleted := pod("web")
	deleted.DeletionTimestamp = &metav1.Time{}
	for name, live := range map[string]*corev1.Pod{"gone": nil, "replaced": other, "being deleted": deleted} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				c.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
					if live == nil {
						return true, nil, apierrors.NewNotFound(corev1.Resource("pods"), "web")
					}
					return true, live, nil
				})
				c.start()
				if c.Calls("delete", "pods")+c.Calls("patch", "pods") != 0 || len(c.Events()) != 0 {
					c.Errorf("did something: %v", c.Actions())
				}
			}, pod("web"), claim(pod("web")), slice(taint(noExecute)))
		})
	}
}

func TestPodThatIsDeletedMeanwhile(t *testing.T) {
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "delete", "pods", apierrors.NewNotFound(corev1.Resource("pods"), "web"))
		c.start()
		time.Sleep(time.Minute)
		if n := c.Calls("delete", "pods"); n != 1 {
			c.Errorf("%d deletions", n)
		}
	}, pod("web"), claim(pod("web")), slice(taint(noExecute)))
}

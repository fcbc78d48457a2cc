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

package resourceclaim_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/testutil"

	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
)

func TestPodGetsItsClaims(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		if !c.Ready() {
			c.Error("not synced")
		}
		p := c.pod("web")
		var names []string
		for _, s := range p.Status.ResourceClaimStatuses {
			names = append(names, s.Name+"="+strings.TrimRight(*s.ResourceClaimName, "0123456789"))
		}
		if diff := cmp.Diff([]string{"gpu=web-gpu-", "net=web-net-"}, names); diff != "" {
			c.Errorf("wrong names in the pod's status:\n%s", diff)
		}
		for _, claim := range c.claims() {
			if !metav1.IsControlledBy(&claim, p) || claim.Labels["color"] != "red" || len(claim.Spec.Devices.Requests) != 1 {
				c.Errorf("wrong claim: %v", claim)
			}
		}
		managers := slices.ContainsFunc(p.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
			return f.Manager == "ResourceClaimController" && f.Operation == metav1.ManagedFieldsOperationApply
		})
		if !managers {
			c.Errorf("the pod's status is managed by %v", p.ManagedFields)
		}
	}, template(), pod("web", withTemplate("gpu"), withTemplate("net"), withClaim("mine", "other")))
}

func TestTemplateThatComesLater(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		want := `Warning FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template "template": resourceclaimtemplate.resource.k8s.io "template" not found`
		if got := c.Events(); !slices.Contains(got, want) {
			c.Errorf("got the events %q", got)
		}
		_, err := c.ResourceV1().ResourceClaimTemplates("ns").Create(c.Ctx, template(), metav1.CreateOptions{})
		c.Must(err)
		synctest.Wait()
		c.only()
	}, pod("web", withTemplate("gpu")))
}

// A claim deleted by accident is recreated, even right after its creation: a cache of created
// claims must not hide the deletion.
func TestDeletedClaimIsMadeAnew(t *testing.T) {
	story(t, func(c *cluster) {
		c.start()
		first := c.only()
		c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, first.Name, metav1.DeleteOptions{}))
		synctest.Wait()
		second := c.only()
		if name := *c.pod("web").Status.ResourceClaimStatuses[0].ResourceClaimName; second.Name == first.Name || name != second.Name {
			c.Errorf("the pod has %s, first was %s, now there is %s", name, first.Name, second.Name)
		}
	}, template(), pod("web", withTemplate("gpu")))
}

// When many pods are deleted at once, the watch may show the deletion of a claim before that of its
// pod. Such a pod must not get another claim: 156 of 3000 did in a benchmark, and each had to be
// deleted again.
func TestPodThatIsGoneGetsNoOtherClaim(t *testing.T) {
	for name, tc := range map[string]struct {
		answer *corev1.Pod
		err    error
	}{
		"gone":          {nil, apierrors.NewNotFound(corev1.Resource("pods"), "web")},
		"another one":   {pod("web", withTemplate("gpu"), func(p *corev1.Pod) { p.UID = "later" }), nil},
		"being deleted": {pod("web", withTemplate("gpu"), func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				c.start()
				made := c.claims()
				c.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, tc.answer, tc.err })
				for _, claim := range made {
					c.Must(c.ResourceV1().ResourceClaims("ns").Delete(c.Ctx, claim.Name, metav1.DeleteOptions{}))
				}
				time.Sleep(time.Hour)
				if n := c.Calls("create", "resourceclaims"); n != 2 {
					c.Errorf("%d claims were made for two entries", n)
				}
				if c.Calls("get", "pods") == 0 {
					c.Error("nobody asked for the pod")
				}
			}, template(), pod("web", withTemplate("gpu"), withTemplate("net")))
		})
	}
}

// Each write may fail for various reasons and is retried.
func TestWritesThatFail(t *testing.T) {
	broken := errors.New("etcd is on holiday")
	for name, tc := range map[string]struct{ verb, resource string }{
		"create": {"create", "resourceclaims"},
		"record": {"patch", "pods"},
		"delete": {"delete", "resourceclaims"},
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(c *cluster) {
				apitest.Fail(c.Clientset, tc.verb, tc.resource, broken, broken, broken)
				c.start()
				time.Sleep(time.Second)
				claim := c.only()
				if s := c.pod("web").Status.ResourceClaimStatuses; len(s) != 1 || *s[0].ResourceClaimName != claim.Name {
					c.Errorf("the claim is %s, the pod says %v", claim.Name, s)
				}
				c.setPhase("web", corev1.PodSucceeded)
				time.Sleep(time.Second)
				if left := c.claims(); len(left) != 0 {
					c.Errorf("left are %v", left)
				}
				if n := c.Calls(tc.verb, tc.resource); n != 4 {
					c.Errorf("%d attempts", n)
				}
			}, template(), pod("web", withTemplate("gpu")))
		})
	}
}

func TestFailedCreationIsReportedAndOthersGoOn(t *testing.T) {
	story(t, func(c *cluster) {
		var quota atomic.Bool
		c.PrependReactor("create", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
			claim := action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceClaim)
			if claim.GenerateName == "web-gpu-" && !quota.Load() {
				return true, nil, errors.New("quota")
			}
			return false, nil, nil
		})
		c.start()
		if n := len(c.pod("web").Status.ResourceClaimStatuses); n != 1 {
			c.Errorf("%d claims although only one cannot be made", n)
		}
		if got := c.Events(); len(got) != 1 || got[0] != "Warning FailedResourceClaimCreation: PodResourceClaim gpu: create ResourceClaim web-gpu-: quota" {
			c.Errorf("got the events %q", got)
		}
		quota.Store(true)
		time.Sleep(time.Second)
		if n := len(c.pod("web").Status.ResourceClaimStatuses); n != 2 || len(c.claims()) != 2 {
			c.Errorf("%d claims in the end", n)
		}
	}, template(), pod("web", withTemplate("gpu"), withTemplate("net")))
}

// An admission webhook dropping annotations must not cause endless claim creation.
func TestClaimThatIsNotTakenForThePods(t *testing.T) {
	story(t, func(c *cluster) {
		c.PrependReactor("create", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
			action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceClaim).Annotations = nil
			return false, nil, nil
		})
		c.start()
		time.Sleep(time.Hour)
		c.only()
		if got := c.Events(); len(got) != 1 || !strings.Contains(got[0], "something has changed its owner or its annotation") {
			c.Errorf("got the events %q", got)
		}
	}, template(), pod("web", withTemplate("gpu")))
}

// The controller crashes between creating a claim and recording its name.
func TestSuccessorFindsClaims(t *testing.T) {
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "patch", "pods", errors.New("no"))
		c.start()
		c.Stop()
		claim := c.only()
		c.start()
		if s := c.pod("web").Status.ResourceClaimStatuses; len(s) != 1 || *s[0].ResourceClaimName != claim.Name {
			c.Errorf("the claim is %s, the pod says %v", claim.Name, s)
		}
		c.only()
	}, template(), pod("web", withTemplate("gpu")))
}

func TestClaimThatOthersUseStays(t *testing.T) {
	a, b := pod("a", withClaim("c", "shared")), pod("b", withClaim("c", "shared"))
	a.UID, b.UID = "a", "b"
	story(t, func(c *cluster) {
		c.start()
		c.deletePod("a")
		claim := c.only()
		if len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].Name != "b" || claim.Status.Allocation == nil {
			c.Errorf("wrong status: %v", claim.Status)
		}
		c.setPhase("b", corev1.PodFailed)
		claim = c.only()
		if len(claim.Status.ReservedFor) != 0 || claim.Status.Allocation != nil || len(claim.Finalizers) != 0 {
			c.Errorf("not released: %v", claim)
		}
	}, a, b, userClaim(a, b))
}

// Each write of a release fails once, with a conflict or another error.
func TestReleaseThatFails(t *testing.T) {
	user := pod("gone")
	user.UID = "gone"
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "update", "resourceclaims", errors.New("no"), nil, errors.New("no"))
		c.start()
		time.Sleep(time.Second)
		claim := c.only()
		if len(claim.Status.ReservedFor) != 0 || claim.Status.Allocation != nil {
			c.Errorf("not released: %v", claim)
		}
	}, userClaim(user))
}

// The controller looks up an unknown pod before releasing its devices.
func TestUnknownPodIsLookedFor(t *testing.T) {
	user := pod("late")
	user.UID = "late"
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "get", "pods", errors.New("no"), errors.New("no"))
		c.start()
		time.Sleep(time.Second)
		if n := c.Calls("get", "pods"); n != 3 {
			c.Errorf("%d look-ups", n)
		}
		if n := c.Calls("update", "resourceclaims"); n != 2 {
			c.Errorf("%d updates", n)
		}
	}, userClaim(user))
}

func TestPodThatNoSchedulerHasSeen(t *testing.T) {
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "update", "resourceclaims", errors.New("no"))
		c.start()
		time.Sleep(time.Second)
		if claim := c.only(); len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != c.pod("static").UID {
			c.Errorf("wrong status: %v", claim.Status)
		}
	}, userClaim(), pod("static", withClaim("c", "shared"), func(p *corev1.Pod) { p.Spec.NodeName = "worker" }))
}

// The scheduler creates the claim for extended resources; this controller cleans it up.
func TestExtendedResourceClaim(t *testing.T) {
	owner := pod("web", func(p *corev1.Pod) {
		p.UID = "web"
		p.Spec.NodeName = "worker"
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "shared"}
	})
	claim := userClaim(owner)
	claim.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "web", UID: "web", Controller: new(true)}}
	story(t, func(c *cluster) {
		c.start()
		c.only()
		c.setPhase("web", corev1.PodSucceeded)
		if left := c.claims(); len(left) != 0 {
			c.Errorf("left are %v", left)
		}
	}, owner, claim)
}

// PodGroup claims are not supported; this is reported once.
func TestPodGroups(t *testing.T) {
	member := func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("group")} }
	story(t, func(c *cluster) {
		c.start()
		time.Sleep(time.Second)
		if len(c.claims()) != 0 {
			c.Error("claims before the group is known")
		}
		group := &schedulingapi.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "group"}}
		group.Spec.ResourceClaims = []schedulingapi.PodGroupResourceClaim{{Name: "all", ResourceClaimTemplateName: new("template")}}
		_, err := c.SchedulingV1beta1().PodGroups("ns").Create(c.Ctx, group, metav1.CreateOptions{})
		c.Must(err)
		time.Sleep(time.Minute)
		if claim := c.only(); claim.Annotations[resourceapi.PodResourceClaimAnnotation] != "one" {
			c.Errorf("wrong claim: %v", claim)
		}
		if got := c.Events(); len(got) != 1 || !strings.Contains(got[0], "DRAWorkloadResourceClaims feature is disabled") {
			c.Errorf("got the events %q", got)
		}
		c.ClearActions()
		time.Sleep(time.Hour)
		if n := len(c.Actions()); n != 0 {
			c.Errorf("%d calls although nothing helps", n)
		}
	}, template(), pod("web", member, withTemplate("all"), withTemplate("one")))
}

// A watch may report a deletion without an object's last state.
func TestReplacedPodLosesItsReservation(t *testing.T) {
	old := pod("web", withClaim("c", "shared"))
	old.UID = types.UID("old")
	story(t, func(c *cluster) {
		c.start()
		if claim := c.only(); len(claim.Status.ReservedFor) != 0 {
			c.Errorf("still reserved: %v", claim.Status)
		}
	}, userClaim(old), pod("web", withClaim("c", "shared")))
}

func TestMetrics(t *testing.T) {
	admin := template()
	admin.Spec.Spec.Devices.Requests[0].Exactly.AdminAccess = new(true)
	special := userClaim(pod("someone"))
	special.Name = "special"
	special.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	special.Status.ReservedFor[0].Resource = "jobs"
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "create", "resourceclaims", errors.New("no"))
		c.start()
		time.Sleep(time.Second)
		want := `# HELP dynamic_resource_allocation_resource_claims [ALPHA] Number of ResourceClaims by whether they are allocated, whether they ask for admin access, and who made them: resource_claim_template, extended_resource, or empty for a user.
# TYPE dynamic_resource_allocation_resource_claims gauge
dynamic_resource_allocation_resource_claims{admin_access="false",allocated="true",source=""} 1
dynamic_resource_allocation_resource_claims{admin_access="false",allocated="true",source="extended_resource"} 1
dynamic_resource_allocation_resource_claims{admin_access="true",allocated="false",source="resource_claim_template"} 1
# HELP resourceclaim_controller_allocated_resource_claims [ALPHA] Number of ResourceClaims that are allocated.
# TYPE resourceclaim_controller_allocated_resource_claims gauge
resourceclaim_controller_allocated_resource_claims 2
# HELP resourceclaim_controller_create_failures_total [ALPHA] Number of attempts to create a ResourceClaim that failed.
# TYPE resourceclaim_controller_create_failures_total counter
resourceclaim_controller_create_failures_total 1
# HELP resourceclaim_controller_create_total [ALPHA] Number of attempts to create a ResourceClaim.
# TYPE resourceclaim_controller_create_total counter
resourceclaim_controller_create_total 2
# HELP resourceclaim_controller_resource_claims [ALPHA] Number of ResourceClaims by whether they are allocated, whether they ask for admin access, and who made them: resource_claim_template, extended_resource, or empty for a user.
# TYPE resourceclaim_controller_resource_claims gauge
resourceclaim_controller_resource_claims{admin_access="false",allocated="true",source=""} 1
resourceclaim_controller_resource_claims{admin_access="false",allocated="true",source="extended_resource"} 1
resourceclaim_controller_resource_claims{admin_access="true",allocated="false",source="resource_claim_template"} 1
`
		c.Must(testutil.GatherAndCompare(c.Metrics, strings.NewReader(want)))
	}, admin, pod("web", withTemplate("gpu")), userClaim(), special)
}

// A stopped informer takes no handlers.
func TestInformersThatHaveStopped(t *testing.T) {
	story(t, func(c *cluster) {
		ctx, cancel := context.WithCancel(c.Ctx)
		factory := informers.NewSharedInformerFactory(c, 0)
		factory.Resource().V1().ResourceClaims().Informer()
		factory.Start(ctx.Done())
		cancel()
		factory.Shutdown()
		if _, err := resourceclaim.New(c.Ctx, c, factory); err == nil || !strings.HasPrefix(err.Error(), "set up resourceclaim-controller: ") {
			c.Errorf("got %v", err)
		}
	})
}

// The controller looks up a claim missing in the cache.
func TestClaimThatTheWatchDoesNotShow(t *testing.T) {
	recorded := func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: new("lost")}}
	}
	story(t, func(c *cluster) {
		apitest.Fail(c.Clientset, "get", "resourceclaims", errors.New("no"), errors.New("no"))
		c.start()
		time.Sleep(time.Second)
		if name := *c.pod("web").Status.ResourceClaimStatuses[0].ResourceClaimName; name != c.only().Name {
			c.Errorf("the pod has %s", name)
		}
	}, template(), pod("web", withTemplate("gpu"), recorded))
	there := userClaim()
	there.Name = "lost"
	there.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "web", UID: "web", Controller: new(true)}}
	story(t, func(c *cluster) {
		c.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) { return true, there, nil })
		c.start()
		time.Sleep(time.Second)
		if len(c.claims()) != 0 {
			c.Error("there are two claims for one entry")
		}
	}, template(), pod("web", withTemplate("gpu"), recorded, func(p *corev1.Pod) { p.UID = "web" }))
}

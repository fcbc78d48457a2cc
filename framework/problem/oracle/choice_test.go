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

package oracle_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

func choiceRules() map[string]rule {
	return map[string]rule{
		"first available": {"kep-4816/alternatives-in-order",
			func(s *scene) { s.second(4) },
			func(s *scene) { s.second(3) },
		},
		"one alternative": {"kep-4816/alternatives-in-order",
			func(s *scene) {
				s.claims(claim("claim", firstOf("r", 2, 1)))
				s.allocate(0, result("r/s0", "gpu-0"), result("r/s0", "gpu-1"))
			},
			func(s *scene) {
				s.claims(claim("claim", firstOf("r", 2, 1)))
				s.allocate(0, result("r/s0", "gpu-0"), result("r/s1", "gpu-1"))
			},
		},
		// A pod waiting because of an alternative with a missing class was a violation.
		"class of an alternative": {"kep-4381/missing-class-named",
			func(s *scene) { s.second(4); s.anotherClass(); s.wait() },
			func(s *scene) { s.second(4); s.anotherClass() },
		},
		"after earlier requests": {"kep-4816/alternatives-in-order",
			// The first request takes gpu-0 and gpu-1.
			func(s *scene) { s.twoRequests(2) },
			func(s *scene) { s.twoRequests(1) },
		},
		"beside later requests": {"kep-4816/alternatives-in-order",
			func(s *scene) {
				s.claims(claim("claim", firstOf("r", 2, 1), request("q", 2)))
				s.allocate(0, result("r/s1", "gpu-0"), result("q", "gpu-1"), result("q", "gpu-2"))
			},
			func(s *scene) {
				s.claims(claim("claim", firstOf("r", 2, 1), request("q", 1)))
				s.allocate(0, result("r/s1", "gpu-0"), result("q", "gpu-1"))
			},
		},
	}
}

// second allocates one device for the second alternative.
func (s *scene) second(first int64) {
	s.claims(claim("claim", firstOf("r", first, 1)))
	s.allocate(0, result("r/s1", "gpu-0"))
}

// anotherClass gives the first alternative a class that does not exist.
func (s *scene) anotherClass() {
	s.Outcome.Claims[0].Spec.Devices.Requests[0].FirstAvailable[0].DeviceClassName = "other"
}

// twoRequests allocates devices for the first request, and one for the second alternative of the
// second request.
func (s *scene) twoRequests(first int64) {
	s.claims(claim("claim", request("q", first), firstOf("r", 2, 1)))
	results := []resourceapi.DeviceRequestAllocationResult{result("q", "gpu-0"), result("q", "gpu-1")}[:first]
	s.allocate(0, append(results, result("r/s1", "gpu-2"))...)
}

// An evicted pod had released the devices of an earlier alternative after another claim got a later one: that
// was a violation.
func TestDevicesOfAnEvictedPod(t *testing.T) {
	s := newScene()
	s.second(3)
	evicted := claim("evicted", request("r", 1))
	s.Problem.Claims = append(s.Problem.Claims, evicted)
	s.Outcome.Claims = append(s.Outcome.Claims, evicted)
	s.Problem.Pods = []problem.Pod{{Name: "pod", Claims: []string{"claim"}}, {Name: "evicted", Claims: []string{"evicted"}}}
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) > 0 || len(v.Undecided) != 1 {
		t.Errorf("expected an undecided question, got %v", v)
	}
	s.Problem.Pods = s.Problem.Pods[:1]
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) != 1 {
		t.Errorf("expected a violation without an evicted pod, got %v", v)
	}
}

func podRules() map[string]rule {
	return map[string]rule{
		"allocated": {"kep-4381/allocated-before-bound",
			func(*scene) {},
			func(s *scene) { s.Outcome.Claims[0].Status.Allocation = nil },
		},
		"reserved": {"kep-4381/in-use-means-reserved",
			func(*scene) {},
			func(s *scene) { s.Outcome.Claims[0].Status.ReservedFor[0].UID = "another" },
		},
		"on a node of the claim": {"kep-4381/allocation-restricts-node",
			func(s *scene) { s.everywhere(); s.selected(nil); s.Outcome.Pods[0].Node = "node-1" },
			func(s *scene) { s.Outcome.Pods[0].Node = "node-1" },
		},
		"runs if possible": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.claims(claim("claim", request("r", 4))); s.wait() },
			func(s *scene) { s.claims(claim("claim", request("r", 3))); s.wait() },
		},
		"runs on another node": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) {
				s.use("other", result("r", "gpu-0"), result("r", "gpu-1"), result("r", "gpu-2"))
				s.Slices = s.Slices[:1]
				s.wait()
			},
			func(s *scene) {
				s.use("other", result("r", "gpu-0"), result("r", "gpu-1"), result("r", "gpu-2"))
				s.wait()
			},
		},
		"runs with a later alternative": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.claims(claim("claim", firstOf("r", 5, 4))); s.wait() },
			func(s *scene) { s.claims(claim("claim", firstOf("r", 5, 4, 3))); s.wait() },
		},
		"runs with other devices": {"kep-4381/node-fits-only-if-allocatable",
			// Only gpu-0 and gpu-2 have the same model.
			func(s *scene) { s.matching(3) },
			func(s *scene) { s.matching(2) },
		},
		"runs within counters": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.counters(40, 119); s.claims(claim("claim", request("r", 3))); s.wait() },
			func(s *scene) { s.counters(40, 120); s.claims(claim("claim", request("r", 3))); s.wait() },
		},
		"runs within capacity": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.lastShare("7Gi") },
			func(s *scene) { s.lastShare("6Gi") },
		},
		"runs when prepared": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.attaching("False") },
			func(s *scene) { s.attaching("True") },
		},
		"bound when prepared": {"kep-5007/waits-for-conditions",
			func(*scene) {},
			func(s *scene) { s.Outcome.Pods[0].Unprepared = "claim" },
		},
		"released if failed": {"kep-5007/failure-reschedules",
			func(s *scene) { s.attaching("False"); s.fail(); s.status().ReservedFor[0].UID = "other" },
			func(s *scene) { s.attaching("False"); s.fail() },
		},
		// kube-scheduler releases a failed claim if the pod's other claims fit on a node.
		"released if the other claims fit": {"kep-5007/failure-reschedules",
			func(s *scene) { s.attaching("False"); s.fail(); s.another(3) },
			func(s *scene) { s.attaching("False"); s.fail(); s.another(2) },
		},
		"released after a timeout": {"kep-5007/timeout-reschedules",
			func(s *scene) { s.attaching("False") },
			func(s *scene) {
				s.attaching("False")
				s.Allocated = append(s.Allocated, *s.Outcome.Claims[0].DeepCopy())
			},
		},
		"joins a claim": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) { s.join(resourceapi.DeviceTaintEffectNoExecute) },
			func(s *scene) { s.join(resourceapi.DeviceTaintEffectNoSchedule) },
		},
		"released if stuck": {"kep-4381/deallocates-if-stuck",
			func(s *scene) {
				s.unused()
				s.Outcome.Claims[0].Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "other"}}
			},
			func(s *scene) { s.unused() },
		},
		"released if missing on a node": {"kep-4381/deallocates-if-stuck",
			func(s *scene) { s.holding(nil) },
			func(s *scene) { s.holding(onlyNode("gone")) },
		},
	}
}

// holding makes the pod wait because one of its claims is unused but holds gpu-0, needed by the other.
func (s *scene) holding(nodes *corev1.NodeSelector) {
	s.claims(claim("claim", request("r", 2)))
	s.constrain(resourceapi.DeviceConstraint{MatchAttribute: attribute("model")})
	s.wait()
	held := claim("held", request("r", 1))
	held.Status.Allocation = &resourceapi.AllocationResult{
		Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result("r", "gpu-0")}}, NodeSelector: nodes,
	}
	s.Allocated = append(s.Allocated, held)
	s.Outcome.Pods[0].Claims = append(s.Outcome.Pods[0].Claims, "held")
}

// attaching makes the pod wait for a binding condition.
func (s *scene) attaching(status metav1.ConditionStatus) {
	s.device(0).BindingConditions, s.allocated().BindingConditions = []string{"attached"}, []string{"attached"}
	s.Outcome.Pods[0].Node = ""
	s.Outcome.Claims[0].Status.Devices = []resourceapi.AllocatedDeviceStatus{{
		Driver: driver, Pool: "a", Device: "gpu-0", Conditions: []metav1.Condition{{Type: "attached", Status: status}},
	}}
}

func (s *scene) status() *resourceapi.ResourceClaimStatus { return &s.Outcome.Claims[0].Status }

// fail sets a binding failure condition.
func (s *scene) fail() {
	s.device(0).BindingFailureConditions, s.allocated().BindingFailureConditions = []string{"failed"}, []string{"failed"}
	status := &s.status().Devices[0]
	status.Conditions = append(status.Conditions, metav1.Condition{Type: "failed", Status: metav1.ConditionTrue})
}

// another adds a claim for some devices to the pod.
func (s *scene) another(count int64) {
	other := claim("other", request("r", count))
	s.Problem.Claims, s.Outcome.Claims = append(s.Problem.Claims, other), append(s.Outcome.Claims, *other.DeepCopy())
	s.Outcome.Pods[0].Claims = append(s.Outcome.Pods[0].Claims, "other")
}

// join makes the pod wait for a claim already in use, whose device was tainted later.
func (s *scene) join(effect resourceapi.DeviceTaintEffect) {
	s.Outcome.Pods[0].Node = ""
	s.Outcome.Claims[0].Status.ReservedFor[0].Name = "other"
	s.device(0).Taints = []resourceapi.DeviceTaint{{Key: "broken", Effect: effect}}
	s.Allocated = append(s.Allocated, *s.Outcome.Claims[0].DeepCopy())
}

func (s *scene) matching(count int64) {
	s.claims(claim("claim", request("r", count)))
	s.constrain(resourceapi.DeviceConstraint{MatchAttribute: attribute("model")})
	s.wait()
}

// lastShare makes the pod wait for a share of gpu-0, the only device, with 4Gi in use.
func (s *scene) lastShare(requested string) {
	s.share(nil, requested, "0")
	s.useShare("other", "4Gi")
	s.Slices[0].Spec.Devices = s.Slices[0].Spec.Devices[:1]
	s.Slices = s.Slices[:1]
	s.wait()
}

// unused makes the pod wait with an allocation for a deleted node.
func (s *scene) unused() {
	s.Outcome.Pods[0].Node = ""
	s.Outcome.Claims[0].Status.ReservedFor = nil
	s.Outcome.Claims[0].Status.Allocation.NodeSelector = onlyNode("gone")
	s.Allocated = append(s.Allocated, *s.Outcome.Claims[0].DeepCopy())
}

func TestUndecided(t *testing.T) {
	for name, change := range map[string]func(*scene){
		"selector error": func(s *scene) {
			s.requested(func(r *resourceapi.ExactDeviceRequest) {
				r.Selectors = selector(`device.attributes["other.example.com"].x`)
			})
		},
		"disabled feature": func(s *scene) {
			s.device(0).Taints = []resourceapi.DeviceTaint{{Key: "x"}}
			s.Off = []string{"DeviceTaints"}
		},
		"invalid slice": func(s *scene) { s.Slices[1].Spec.NodeName = nil },
		"unknown value": func(s *scene) { s.requested(func(r *resourceapi.ExactDeviceRequest) { r.Count = 0 }) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			change(s)
			s.wait()
			if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) > 0 || len(v.Undecided) != 1 {
				t.Errorf("expected an undecided question, got %v", v)
			}
		})
	}
}

// TestAdminAccessAcrossClaims checks that claims with admin access leave all devices to the pod's
// other claims.
func TestAdminAccessAcrossClaims(t *testing.T) {
	s := newScene()
	admin := claim("admin", request("r", 3))
	admin.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr.To(true)
	s.claims(admin, claim("claim", request("r", 3)))
	s.wait()
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) != 1 {
		t.Errorf("expected that the pod could run, got %v", v)
	}
}

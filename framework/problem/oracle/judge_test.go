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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

// rule is a pair of outcomes: near barely keeps a promise, far breaks it.
type rule struct {
	promise   string
	near, far func(*scene)
}

func TestRules(t *testing.T) {
	for name, rules := range map[string]map[string]rule{
		"claim": claimRules(), "device": deviceRules(), "share": shareRules(), "copy": copyRules(), "choice": choiceRules(), "pod": podRules(), "extended": extendedRules(),
	} {
		for what, rule := range rules {
			t.Run(name+"/"+what, func(t *testing.T) {
				near := newScene()
				rule.near(near)
				if v := oracle.Judge(near.Problem, near.Outcome); len(v.Violations)+len(v.Undecided) > 0 {
					t.Errorf("near: %v", v)
				}
				far := newScene()
				rule.far(far)
				verdict := oracle.Judge(far.Problem, far.Outcome)
				if !slices.ContainsFunc(verdict.Violations, func(v oracle.Violation) bool { return v.Promise == rule.promise }) {
					t.Errorf("far: expected a violation of %s, got %v", rule.promise, verdict)
				}
			})
		}
	}
}

func TestSceneIsRight(t *testing.T) {
	s := newScene()
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations)+len(v.Undecided) > 0 {
		t.Errorf("expected no violation, got %v", v)
	}
}

func claimRules() map[string]rule {
	return map[string]rule{
		"count": {"kep-4381/exact-count",
			func(s *scene) {
				s.claims(claim("claim", request("r", 2)))
				s.allocate(0, result("r", "gpu-0"), result("r", "gpu-1"))
			},
			func(s *scene) { s.claims(claim("claim", request("r", 2))); s.allocate(0, result("r", "gpu-0")) },
		},
		"same device twice": {"kep-4381/exact-count",
			func(s *scene) {
				s.claims(claim("claim", request("r", 1), request("q", 1)))
				s.allocate(0, result("r", "gpu-0"), result("q", "gpu-1"))
			},
			func(s *scene) {
				s.claims(claim("claim", request("r", 2)))
				s.allocate(0, result("r", "gpu-0"), result("r", "gpu-0"))
			},
		},
		"every request": {"kep-4381/all-requests-satisfied",
			func(s *scene) {
				s.claims(claim("claim", request("r", 1), request("q", 1)))
				s.allocate(0, result("r", "gpu-2"), result("q", "gpu-0"))
			},
			func(s *scene) {
				s.claims(claim("claim", request("r", 1), request("q", 1)))
				s.allocate(0, result("r", "gpu-0"))
			},
		},
		"known request": {"kep-4381/results-name-request",
			func(*scene) {},
			func(s *scene) { s.allocated().Request = "q" },
		},
		"unknown mode": {"kep-4381/unknown-request-refused",
			func(s *scene) {
				s.requested(func(r *resourceapi.ExactDeviceRequest) { r.AllocationMode = "Half" })
				s.wait()
			},
			func(s *scene) { s.requested(func(r *resourceapi.ExactDeviceRequest) { r.AllocationMode = "Half" }) },
		},
		"all": {"kep-4381/allocation-mode-all",
			func(s *scene) { s.allOfModel(); s.allocate(0, result("r", "gpu-0"), result("r", "gpu-2")) },
			func(s *scene) { s.allOfModel() },
		},
		"all of an incomplete pool": {"kep-4381/incomplete-pool-waits",
			func(s *scene) {
				s.allOfModel()
				s.allocate(0, result("r", "gpu-0"), result("r", "gpu-2"))
				s.Slices[1].Spec.Pool.ResourceSliceCount = 2 // on another node
			},
			func(s *scene) {
				s.allOfModel()
				s.allocate(0, result("r", "gpu-0"), result("r", "gpu-2"))
				s.Slices[1].Spec.NodeName = ptr.To("node-0")
				s.Slices[1].Spec.Pool.ResourceSliceCount = 2
			},
		},
		"matchAttribute": {"kep-4381/match-attribute",
			func(s *scene) { s.twoWith(resourceapi.DeviceConstraint{MatchAttribute: attribute("model")}, "gpu-2") },
			func(s *scene) { s.twoWith(resourceapi.DeviceConstraint{MatchAttribute: attribute("model")}, "gpu-1") },
		},
		"matchAttribute of some": {"kep-4381/match-attribute",
			func(s *scene) {
				s.twoWith(resourceapi.DeviceConstraint{Requests: []string{"q"}, MatchAttribute: attribute("model")}, "gpu-1")
			},
			func(s *scene) {
				s.twoWith(resourceapi.DeviceConstraint{Requests: []string{"q"}, MatchAttribute: attribute("unheard")}, "gpu-1")
			},
		},
		"distinctAttribute": {"kep-5075/distinct-attribute",
			func(s *scene) {
				s.twoWith(resourceapi.DeviceConstraint{DistinctAttribute: attribute("model")}, "gpu-1")
			},
			func(s *scene) {
				s.twoWith(resourceapi.DeviceConstraint{DistinctAttribute: attribute("model")}, "gpu-2")
			},
		},
		"versions without build metadata": {"kep-4381/match-attribute",
			func(s *scene) { s.versions("1.0.0+a", "1.0.0") },
			func(s *scene) { s.versions("1.0.0-a", "1.0.0") },
		},
		"admin access in a namespace": {"kep-5018/admin-namespace-only",
			func(s *scene) { s.admin("true") },
			func(s *scene) { s.admin("True") },
		},
	}
}

// allOfModel requests all devices with the model of gpu-0 and gpu-2.
func (s *scene) allOfModel() {
	s.requested(func(r *resourceapi.ExactDeviceRequest) {
		r.AllocationMode, r.Count, r.Selectors = resourceapi.DeviceAllocationModeAll, 0, selector(`device.attributes["gpu.example.com"].model == "m0"`)
	})
}

// twoWith allocates gpu-0 and another device for two requests with a constraint.
func (s *scene) twoWith(c resourceapi.DeviceConstraint, other string) {
	s.claims(claim("claim", request("r", 1), request("q", 1)))
	s.constrain(c)
	s.allocate(0, result("r", "gpu-0"), result("q", other))
}

func (s *scene) versions(first, second string) {
	for i, version := range []string{first, second} {
		s.device(i).Attributes["version"] = resourceapi.DeviceAttribute{VersionValue: &version}
	}
	s.twoWith(resourceapi.DeviceConstraint{MatchAttribute: attribute("version")}, "gpu-1")
}

func (s *scene) admin(label string) {
	s.requested(func(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = ptr.To(true) })
	s.allocated().AdminAccess = ptr.To(true)
	s.use("other", result("r", "gpu-0"))
	s.Namespaces = []corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{
		Name: "default", Labels: map[string]string{resourceapi.DRAAdminNamespaceLabelKey: label},
	}}}
}

func attribute(name string) *resourceapi.FullyQualifiedName {
	return ptr.To(resourceapi.FullyQualifiedName(driver + "/" + name))
}

func TestOldShareIDsOfOthersDoNotMatter(t *testing.T) {
	s := newScene()
	s.share(nil, "1Gi", "1Gi")
	old := result("r", "gpu-0")
	old.ShareID, old.ConsumedCapacity = ptr.To(types.UID("old")), amounts("memory", "1Gi")
	s.use("first", old)
	s.use("second", old)
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) > 0 {
		t.Errorf("expected no violation, got %v", v)
	}
}

// difftest found it: a pod had to wait because of an invalid node selector in a slice with node selection per device.
func TestTwoNodeSelectionsAreUndecided(t *testing.T) {
	s := newScene()
	s.wait()
	s.Slices[1].Spec.PerDeviceNodeSelection = ptr.To(true)
	s.Slices[1].Spec.Devices = nil
	if v := oracle.Judge(s.Problem, s.Outcome); len(v.Violations) > 0 || len(v.Undecided) != 1 {
		t.Errorf("expected an undecided question, got %v", v)
	}
}

// TestPromisesExist checks that the ID of each promise is a requirement.
func TestPromisesExist(t *testing.T) {
	files, err := filepath.Glob("../../../suites/requirements/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("find requirements: %v, %v", files, err)
	}
	var text strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	for _, id := range oracle.Promises() {
		if !strings.Contains(text.String(), "- id: "+id+"\n") {
			t.Errorf("%s is not a requirement", id)
		}
	}
}

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

package problem

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

func clusterFeatures() []Feature {
	type slice = resourceapi.ResourceSlice
	return []Feature{
		{"several nodes", func(p *Problem) bool { return len(p.Nodes) > 1 }},
		{"several drivers", func(p *Problem) bool { return distinct(p.Slices, func(s *slice) string { return s.Spec.Driver }) > 1 }},
		{"several pools", func(p *Problem) bool {
			return distinct(p.Slices, func(s *slice) string { return s.Spec.Driver + "/" + s.Spec.Pool.Name }) > 1
		}},
		{"several slices in a pool", func(p *Problem) bool {
			return distinct(p.Slices, func(s *slice) string { return s.Spec.Driver + "/" + s.Spec.Pool.Name }) < len(p.Slices)
		}},
		{"slice for a node selector", anySlice(func(s *slice) bool { return s.Spec.NodeSelector != nil })},
		{"slice for all nodes", anySlice(func(s *slice) bool { return ptr.Deref(s.Spec.AllNodes, false) })},
		{"slice for another node", func(p *Problem) bool {
			return anySlice(func(s *slice) bool { return s.Spec.NodeName != nil && *s.Spec.NodeName != p.Nodes[0].Name })(p)
		}},
		{"counters in a slice for another node", func(p *Problem) bool {
			return anySlice(func(s *slice) bool {
				return len(s.Spec.SharedCounters) > 0 && s.Spec.NodeName != nil && *s.Spec.NodeName != p.Nodes[0].Name
			})(p)
		}},
		{"pool incomplete or obsolete", func(p *Problem) bool { return anySlice(func(s *slice) bool { return outOfStep(p, s) })(p) }},
		{"duplicate devices", func(p *Problem) bool { return len(p.Namesakes()) > 0 }},
		{"devices in use", anyUse(func(r resourceapi.DeviceRequestAllocationResult) bool {
			return r.ShareID == nil && !ptr.Deref(r.AdminAccess, false)
		})},
		{"shares in use", anyUse(func(r resourceapi.DeviceRequestAllocationResult) bool { return r.ShareID != nil })},
		{"admin access in use", anyUse(func(r resourceapi.DeviceRequestAllocationResult) bool { return ptr.Deref(r.AdminAccess, false) })},
		{"features off", func(p *Problem) bool { return len(p.Off) > 0 }},
		{"history", func(p *Problem) bool { return p.History != nil }},
	}
}

// PodFeatures lists the features of problems with pods, for a scheduler.
func PodFeatures() []Feature {
	return []Feature{
		{"taint rules", func(p *Problem) bool { return len(p.Rules) > 0 }},
		{"first binding fails", anyDevice(func(_ *resourceapi.ResourceSlice, d *resourceapi.Device) bool {
			return slices.Contains(d.BindingFailureConditions, FailsFirst)
		})},
		{"binding timeout", anyUse(func(r resourceapi.DeviceRequestAllocationResult) bool { return len(r.BindingConditions) > 0 })},
		{"several pods", func(p *Problem) bool { return len(p.Pods) > 1 }},
		{"pod with several claims", func(p *Problem) bool {
			return slices.ContainsFunc(p.Pods, func(pod Pod) bool { return len(pod.Claims) > 1 })
		}},
		{"claim of several pods", func(p *Problem) bool {
			users := map[string]int{}
			for _, pod := range p.Pods {
				for _, claim := range pod.Claims {
					users[claim]++
				}
			}
			return slices.ContainsFunc(p.Claims, func(c resourceapi.ResourceClaim) bool { return users[c.Name] > 1 })
		}},
		{"pod with an allocated claim", func(p *Problem) bool {
			return slices.ContainsFunc(p.Allocated, func(c resourceapi.ResourceClaim) bool {
				return slices.ContainsFunc(p.Pods, func(pod Pod) bool { return slices.Contains(pod.Claims, c.Name) })
			})
		}},
		{"extended resources", anyPod(func(_ *Problem, pod *Pod) bool { return len(pod.Extended()) > 0 })},
		{"implicit extended resources", anyPod(func(_ *Problem, pod *Pod) bool {
			for name := range pod.Extended() {
				if strings.HasPrefix(name, resourceapi.ResourceDeviceClassPrefix) {
					return true
				}
			}
			return false
		})},
		{"extended resources of init containers", anyPod(func(_ *Problem, pod *Pod) bool {
			return slices.ContainsFunc(pod.Containers, func(c Container) bool { return c.Kind == Init && len(c.Extended) > 0 })
		})},
		{"extended resources of sidecars", anyPod(func(_ *Problem, pod *Pod) bool {
			return slices.ContainsFunc(pod.Containers, func(c Container) bool { return c.Kind == Sidecar && len(c.Extended) > 0 })
		})},
		{"extended resources beside claims", anyPod(func(_ *Problem, pod *Pod) bool { return len(pod.Claims) > 0 && len(pod.Extended()) > 0 })},
		{"extended resource of two classes", anyPod(func(p *Problem, pod *Pod) bool {
			return slices.ContainsFunc(p.Classes, func(c resourceapi.DeviceClass) bool {
				return pod.Extended()[ptr.Deref(c.Spec.ExtendedResourceName, "")] > 0 && p.SharesName(&c)
			})
		})},
		{"extended resource of a device plugin", anyPod(func(p *Problem, pod *Pod) bool {
			for name := range pod.Extended() {
				if slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Extended[name] > 0 }) {
					return true
				}
			}
			return false
		})},
	}
}

func anyPod(used func(*Problem, *Pod) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return slices.ContainsFunc(p.Pods, func(pod Pod) bool { return used(p, &pod) })
	}
}

// Request is a request or one of its alternatives.
type Request struct {
	resourceapi.ExactDeviceRequest
	Alternative bool
}

// Requests returns all requests of a claim, with each alternative separately.
func Requests(claim *resourceapi.ResourceClaim) []Request {
	var all []Request
	for _, r := range claim.Spec.Devices.Requests {
		if len(r.FirstAvailable) == 0 {
			all = append(all, Request{ExactDeviceRequest: ptr.Deref(r.Exactly, resourceapi.ExactDeviceRequest{})})
		}
		for _, s := range r.FirstAvailable {
			all = append(all, Request{Alternative: true, ExactDeviceRequest: resourceapi.ExactDeviceRequest{
				DeviceClassName: s.DeviceClassName, Selectors: s.Selectors, AllocationMode: s.AllocationMode,
				Count: s.Count, Tolerations: s.Tolerations, Capacity: s.Capacity,
			}})
		}
	}
	return all
}

func anyClaim(used func(*resourceapi.ResourceClaim) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return slices.ContainsFunc(p.Claims, func(c resourceapi.ResourceClaim) bool { return used(&c) })
	}
}

func anyRequest(used func(Request) bool) func(*Problem) bool {
	return anyClaim(func(c *resourceapi.ResourceClaim) bool { return slices.ContainsFunc(Requests(c), used) })
}

func anyConstraint(used func(*Problem, resourceapi.DeviceConstraint) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return anyClaim(func(c *resourceapi.ResourceClaim) bool {
			return slices.ContainsFunc(c.Spec.Devices.Constraints, func(c resourceapi.DeviceConstraint) bool { return used(p, c) })
		})(p)
	}
}

func anyClass(used func(*resourceapi.DeviceClass) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return slices.ContainsFunc(p.Classes, func(c resourceapi.DeviceClass) bool { return used(&c) })
	}
}

func anySlice(used func(*resourceapi.ResourceSlice) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return slices.ContainsFunc(p.Slices, func(s resourceapi.ResourceSlice) bool { return used(&s) })
	}
}

func anyDevice(used func(*resourceapi.ResourceSlice, *resourceapi.Device) bool) func(*Problem) bool {
	return anySlice(func(s *resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return used(s, &d) })
	})
}

func anyUse(used func(resourceapi.DeviceRequestAllocationResult) bool) func(*Problem) bool {
	return func(p *Problem) bool {
		return slices.ContainsFunc(p.Allocated, func(c resourceapi.ResourceClaim) bool {
			return c.Status.Allocation != nil && slices.ContainsFunc(c.Status.Allocation.Devices.Results, used)
		})
	}
}

func distinct(all []resourceapi.ResourceSlice, key func(*resourceapi.ResourceSlice) string) int {
	keys := map[string]bool{}
	for i := range all {
		keys[key(&all[i])] = true
	}
	return len(keys)
}

// outOfStep reports whether a slice announces the wrong slice count for its pool and generation, or
// has an old generation.
func outOfStep(p *Problem, s *resourceapi.ResourceSlice) bool {
	n := int64(0)
	for i := range p.Slices {
		other := &p.Slices[i].Spec
		if other.Driver != s.Spec.Driver || other.Pool.Name != s.Spec.Pool.Name {
			continue
		}
		if other.Pool.Generation > s.Spec.Pool.Generation {
			return true
		}
		if other.Pool.Generation == s.Spec.Pool.Generation {
			n++
		}
	}
	return n != s.Spec.Pool.ResourceSliceCount
}

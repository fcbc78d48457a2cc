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

package perf

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// podImage is never pulled: nodes are simulated.
const podImage = "none"

// slices returns a node's ResourceSlices: one with the given number of devices, and one with their
// shared counters, if any.
func (w Workload) slices(node string, generation int64, devices int) []*resourceapi.ResourceSlice {
	slice := func(name string) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: resourceapi.ResourceSliceSpec{
				Driver: DriverName, NodeName: ptr.To(node),
				Pool: resourceapi.ResourcePool{Name: node, Generation: generation, ResourceSliceCount: 1},
			},
		}
	}
	all := []*resourceapi.ResourceSlice{slice(node)}
	for i := range devices {
		device := *w.Device.DeepCopy()
		device.Name = fmt.Sprintf("device-%d", i)
		all[0].Spec.Devices = append(all[0].Spec.Devices, device)
	}
	if len(w.SharedCounters) == 0 {
		return all
	}
	all = append(all, slice(node+"-counters"))
	all[1].Spec.SharedCounters = w.SharedCounters
	for _, s := range all {
		s.Spec.Pool.ResourceSliceCount = int64(len(all))
	}
	return all
}

// kinds returns the claim specs; a mix has several.
func (w Workload) kinds() []resourceapi.ResourceClaimSpec {
	switch {
	case len(w.Mix) > 0:
		return w.Mix
	case w.Claim != nil:
		return []resourceapi.ResourceClaimSpec{*w.Claim}
	default:
		return []resourceapi.ResourceClaimSpec{objects.Claim("", objects.Request("req", ClassName)).Spec}
	}
}

// kind returns the index of the i-th claim's spec, equal in all rounds.
func (w Workload) kind(i int) int {
	if len(w.Mix) == 0 {
		return 0
	}
	return rand.New(rand.NewPCG(w.Seed, uint64(i))).IntN(len(w.Mix)) //nolint:gosec // reproducible by seed
}

func (w Workload) claim(name string, kind int) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: *w.kinds()[kind].DeepCopy()}
}

// templates returns a template per claim spec.
func (w Workload) templates() []*resourceapi.ResourceClaimTemplate {
	var all []*resourceapi.ResourceClaimTemplate
	for kind := range w.kinds() {
		all = append(all, objects.Template(templateName(kind), w.claim("", kind)))
	}
	return all
}

func templateName(kind int) string { return fmt.Sprintf("claim-%d", kind) }

// sharedClaims returns the shared claims of a round.
func (w Workload) sharedClaims() []*resourceapi.ResourceClaim {
	if w.Claims != SharedClaims {
		return nil
	}
	var claims []*resourceapi.ResourceClaim
	for i := range (w.Pods + w.PodsPerClaim - 1) / w.PodsPerClaim {
		claims = append(claims, w.claim(fmt.Sprintf("claim-%d", i), w.kind(i)))
	}
	return claims
}

// pod returns the i-th pod of a round, named with prefix.
func (w Workload) pod(prefix string, i int) *corev1.Pod {
	name := fmt.Sprintf("%s%d", prefix, i)
	switch w.Claims {
	case TemplateClaims:
		return objects.PodFromTemplate(name, podImage, templateName(w.kind(i)))
	case SharedClaims:
		return objects.Pod(name, podImage, fmt.Sprintf("claim-%d", i/w.PodsPerClaim))
	case ExtendedClaims:
		pod := objects.Pod(name, podImage)
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{ResourceName: resource.MustParse("1")}
		return pod
	default:
		return objects.Pod(name, podImage)
	}
}

// class returns the DeviceClass of all claims.
func (w Workload) class() *resourceapi.DeviceClass {
	class := objects.Class(ClassName, DriverName)
	if w.Claims == ExtendedClaims {
		class.Spec.ExtendedResourceName = ptr.To(ResourceName)
	}
	return class
}

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

package load

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Names turns units into objects of one soak.
type Names struct {
	// Driver is the driver's name and the prefix of all cluster-scoped names.
	Driver string
	// Image is the pods' busybox image.
	Image string
	// Class is an existing class instead of those of kinds, and Selectors are those of requests in addition.
	Class     string
	Selectors []string
	// Present and Absent are commands succeeding in containers with and without a device.
	Present, Absent []string
}

// Classes are the device classes for these kinds.
func (n Names) Classes(kinds []Kind) []*resourceapi.DeviceClass {
	var all []*resourceapi.DeviceClass
	if n.Class != "" {
		return nil
	}
	for _, k := range classes(kinds) {
		class := objects.Class(n.class(k.Use), n.Driver)
		class.Labels = map[string]string{spec.LabelManagedBy: spec.ManagedBy}
		if k.Class == nil {
			class.Spec.Selectors = append(class.Spec.Selectors, objects.Selector(n.is(use, "%q", k.Use)))
		} else {
			class.Spec = resourceapi.DeviceClassSpec{
				Selectors: []resourceapi.DeviceSelector{objects.Selector("false")}, Config: []resourceapi.DeviceClassConfiguration{*k.Class},
			}
		}
		if k.Use == extended {
			class.Spec.ExtendedResourceName = ptr.To(string(n.extendedResource()))
		}
		all = append(all, class)
	}
	return all
}

// Templates are the claim templates for these kinds, one for each variant.
func (n Names) Templates(kinds []Kind) []*resourceapi.ResourceClaimTemplate {
	var templates []*resourceapi.ResourceClaimTemplate
	for _, k := range kinds {
		if k.Name == Extended || k.Name == NoClaim || k.Shared {
			continue
		}
		for v := range max(1, k.Variants) {
			templates = append(templates, objects.Template(templateName(k, v), n.claim("", k, v)))
		}
	}
	return templates
}

// Claims are a unit's claims other than those from templates.
func (n Names) Claims(u Unit) []*resourceapi.ResourceClaim {
	if !u.Kind.Shared {
		return nil
	}
	return []*resourceapi.ResourceClaim{n.claim(u.Pods[0].Name, u.Kind, u.Variant)}
}

func (n Names) claim(name string, k Kind, variant int) *resourceapi.ResourceClaim {
	claim := objects.Claim(name, n.request(k, variant))
	if k.Claim != nil {
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{*k.Claim}
	}
	return claim
}

// Pods are the pods of a unit.
func (n Names) Pods(u Unit) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, p := range u.Pods {
		var pod *corev1.Pod
		switch {
		case u.Kind.Shared:
			pod = objects.Pod(p.Name, n.Image, u.Pods[0].Name)
		case u.Kind.Name == NoClaim:
			pod = objects.Pod(p.Name, n.Image)
		case u.Kind.Name == Extended:
			pod = objects.Pod(p.Name, n.Image)
			amount := resource.NewQuantity(int64(u.Variant+1), resource.DecimalSI)
			list := corev1.ResourceList{n.extendedResource(): *amount}
			pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: list, Limits: list}
		default:
			pod = objects.PodFromTemplate(p.Name, n.Image, templateName(u.Kind, u.Variant))
		}
		if u.Kind.Pair {
			again := pod.Spec.ResourceClaims[0]
			again.Name = "second"
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, again)
			pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, corev1.ResourceClaim{Name: again.Name})
		}
		pod.Spec.Containers[0].Command = []string{"sh", "-c", fmt.Sprintf(`trap "exit 0" TERM; %ssleep %d & wait`, n.expect(u.Kind), p.Runs)}
		if u.Node != "" {
			objects.OnlyOn(pod, u.Node)
		}
		pods = append(pods, pod)
	}
	return pods
}

func (n Names) request(k Kind, variant int) resourceapi.DeviceRequest {
	class := n.class(k.Use)
	request := objects.Request("device", class, n.Selectors...)
	switch k.Name {
	case TwoDevices:
		request.Exactly.Count = 2
	case FirstAvailable:
		request.Exactly = nil
		request.FirstAvailable = []resourceapi.DeviceSubRequest{
			{Name: "one", DeviceClassName: class, Selectors: []resourceapi.DeviceSelector{objects.Selector(n.is(model, "%q", "b"))}},
			{Name: "two", DeviceClassName: class, Selectors: []resourceapi.DeviceSelector{objects.Selector(n.is(model, "%q", "a"))}, Count: 2},
		}
	case Partition:
		request.Exactly.Selectors = []resourceapi.DeviceSelector{objects.Selector(n.is(units, "%d", 1<<variant))}
	case Capacity:
		request.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{
			memory: *resource.NewQuantity(int64(3*variant+2)<<30, resource.BinarySI),
		}}
	}
	return request
}

// expect is the check of a container's devices.
func (n Names) expect(k Kind) string {
	command := n.Present
	if k.Name == NoClaim {
		command = n.Absent
	}
	if len(command) == 0 {
		return ""
	}
	return objects.Quote(command) + " || exit 1; "
}

func (n Names) class(use string) string {
	if n.Class != "" {
		return n.Class
	}
	return n.Driver + "-" + use
}

func (n Names) extendedResource() corev1.ResourceName {
	return corev1.ResourceName(n.Driver + "/" + extended)
}

// is is an expression comparing an attribute with a value.
func (n Names) is(attribute, verb string, value any) string {
	return fmt.Sprintf("device.attributes[%q].%s == "+verb, n.Driver, attribute, value)
}

func templateName(k Kind, variant int) string { return fmt.Sprintf("%s-%d", k.Name, variant) }

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

package api

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// QuotaByName requests devices of a class by its name, by both names of its extended resource, and by a device
// plugin's name.
var QuotaByName = harness.Case{Meta: spec.Meta{
	ID:     "api/quota-by-name",
	Checks: "Quotas of a class and its extended resource names count the same devices, by claims and by pods.",
	Requires: []spec.RequirementID{
		"kep-5004/explicit-quota-counts-claims", "kep-5004/implicit-quota-counts-claims", "kep-5004/quotas-agree", "kep-5004/class-quota-counts-special-claims",
	},
	Needs: spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	explicitName, implicitName := t.Namespace+".example.com/gpu", "deviceclass.resource.kubernetes.io/"+t.Namespace
	class := objects.Class(t.Namespace, driver)
	class.Spec.ExtendedResourceName = &explicitName
	t.Create(podAccount(), class)
	explicit, implicit := corev1.ResourceName("requests."+explicitName), corev1.ResourceName("requests."+implicitName)
	byClass, other := corev1.ResourceName(t.Namespace+".deviceclass.resource.k8s.io/devices"), corev1.ResourceName("requests.example.com/plugin")
	used := func(devices, explicitly, implicitly, others int64) {
		admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{byClass: devices, explicit: explicitly, implicit: implicitly, other: others})
	}
	pod := func(name, resource string, n int64) *corev1.Pod {
		return unscheduled(objects.PodWanting(name, t.Image, map[string]int64{resource: n}))
	}
	six := resource.MustParse("6")
	admission.CreateQuota(t, "quota", corev1.ResourceList{byClass: six, explicit: six, implicit: six, other: six}, pod("beyond", "example.com/plugin", 7))
	used(0, 0, 0, 0)
	two := objects.Request("req", t.Namespace)
	two.Exactly.Count = 2
	t.Create(objects.Claim("claim", two))
	used(2, 2, 2, 0)
	// A pod counts for the name it requests, and its special claim, made by the scheduler, for all others.
	explicitly, implicitly := pod("by-explicit", explicitName, 1), pod("by-implicit", implicitName, 1)
	t.Create(explicitly)
	used(2, 3, 2, 0)
	t.Create(specialClaim(explicitly, t.Namespace))
	used(3, 3, 3, 0)
	t.Create(implicitly)
	used(3, 3, 4, 0)
	t.Create(specialClaim(implicitly, t.Namespace))
	used(4, 4, 4, 0)
	t.Create(pod("plugin", "example.com/plugin", 5))
	used(4, 4, 4, 5)

	t.Step("ask for three devices where two are left, by each name")
	three := objects.Request("req", t.Namespace)
	three.Exactly.Count = 3
	pods := create(t, t.Client.CoreV1().Pods(t.Namespace))
	for what, err := range map[string]error{
		"a claim": createClaim(t)(objects.Claim("three", three)), "the explicit name": pods(pod("three", explicitName, 3)), "the implicit name": pods(pod("three", implicitName, 3)),
	} {
		t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota: quota")), "three devices by %s", what)
	}
	t.NoError(createClaim(t)(objects.Claim("two", two)), "create a claim for the two remaining devices")
	t.NoError(pods(pod("two", explicitName, 2)), "ask for the two remaining devices by the explicit name")
	t.NoError(pods(pod("two", implicitName, 2)), "ask for the two remaining devices by the implicit name")
}}

// specialClaim returns one for a device of a class requested by a pod as an extended resource.
func specialClaim(pod *corev1.Pod, class string) *resourceapi.ResourceClaim {
	claim := objects.Claim(pod.Name+"-extended-resources", objects.Request("container-0-request-0", class))
	claim.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	return claim
}

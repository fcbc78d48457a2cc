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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassResourceName writes classes with extended resource names, and pods requesting them. A class's
// implicit name must be valid, too.
var ClassResourceName = harness.Case{Meta: spec.Meta{
	ID:     "api/class-resource-name",
	Checks: "A class names an extended resource, and only containers and init containers request it; all else is rejected.",
	Requires: []spec.RequirementID{
		"kep-5004/class-resource-name-format", "kep-5004/class-name-as-resource-name", "kep-5004/no-ephemeral-containers",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	called := func(resource string) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = &resource }
	}
	const field = "spec.extendedResourceName"
	long := func(name string) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) { c.Name = name }
	}
	judge(t, validClass, create(t, t.Client.ResourceV1().DeviceClasses()), []rule[*resourceapi.DeviceClass]{
		{"a name without a domain", called("example.com/gpu"), called("gpu"), field, invalid},
		{"a name of Kubernetes' own", called("example.com/gpu"), called("kubernetes.io/gpu"), field, invalid},
		{"a name with the prefix of a quota", called("example.com/gpu"), called("requests.example.com/gpu"), field, invalid},
		{"a name with a blank", called("example.com/a-gpu"), called("example.com/a gpu"), field, invalid},
		{"a name with two slashes", called("example.com/gpu"), called("example.com/gpu/0"), field, invalid},
		{"a name of 64 characters", called("example.com/" + characters(63)), called("example.com/" + characters(64)), field, invalid},
		{"a class with a long name, and a bad one of its resource", func(c *resourceapi.DeviceClass) {
			long(characters(64))(c)
			called("example.com/gpu")(c)
		}, func(c *resourceapi.DeviceClass) {
			long(characters(64))(c)
			called("example.com/")(c)
		}, field, invalid},
	}...)

	t.Create(podAccount())
	pods := t.Client.CoreV1().Pods(t.Namespace)
	wanting := func(class string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Containers[0] = objects.Wants(p.Spec.Containers[0], map[string]int64{resourceapi.ResourceDeviceClassPrefix + class: 1})
		}
	}
	first := func(class string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{objects.Wants(objects.Container("init", t.Image, "true"), map[string]int64{resourceapi.ResourceDeviceClassPrefix + class: 1})}
		}
	}
	valid := func() *corev1.Pod { return unscheduled(objects.Pod("pod", t.Image)) }
	longest, tooLongName := characters(63), characters(64)
	judge(t, valid, create(t, pods), []rule[*corev1.Pod]{
		{"a too long implicit name of a class", wanting(longest), wanting(tooLongName),
			"spec.containers[0].resources.limits[" + resourceapi.ResourceDeviceClassPrefix + tooLongName + "]", invalid},
		{"a too long implicit name of a class, in an init container", first(longest), first(tooLongName),
			"spec.initContainers[0].resources.limits[" + resourceapi.ResourceDeviceClassPrefix + tooLongName + "]", invalid},
	}...)

	t.Create(valid())
	stored, err := pods.Get(t.Context(), "pod", metav1.GetOptions{})
	t.NoError(err, "get the pod")
	ephemeral := func(limits corev1.ResourceList) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
				Name: "debug", Image: t.Image, TerminationMessagePolicy: corev1.TerminationMessageReadFile, ImagePullPolicy: corev1.PullIfNotPresent,
				Resources: corev1.ResourceRequirements{Limits: limits},
			}}}
		}
	}
	judge(t, stored.DeepCopy, func(p *corev1.Pod) error {
		_, err := pods.UpdateEphemeralContainers(t.Context(), "pod", p, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}, rule[*corev1.Pod]{
		"an ephemeral container with an extended resource", ephemeral(nil), ephemeral(corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}),
		"spec.ephemeralContainers[0].resources", forbidden,
	})
}}

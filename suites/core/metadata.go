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

package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/metadata"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Metadata has containers look for the files about their devices.
var Metadata = harness.Case{Meta: spec.Meta{
	ID:       "core/metadata",
	Checks:   "A container finds a read-only metadata file with the devices of each request it uses, in all API versions.",
	Requires: []spec.RequirementID{"kubeletplugin/metadata-file", "kubeletplugin/metadata-versions", "kubeletplugin/metadata-for-users", "kubeletplugin/metadata-for-workloads"},
	Needs:    spec.Needs{Profile: profiles.WritingMetadata(profiles.TwoDevices()), Devices: 2, DriverFeatures: []spec.DriverFeature{spec.DriverMetadata}, NoDriverFeatures: []spec.DriverFeature{spec.DriverOneContainer}},
	Catches:  []spec.MutantID{"driver-metadata-writable", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("one"), t.Driver.Request("two")))
	pod := t.Pod("pod", "claim")
	part, none := t.Container("part"), t.Container("none")
	part.Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "two"}}
	pod.Spec.Containers = append(pod.Spec.Containers, part, none)
	t.RunPod(pod)
	claim := t.WaitAllocated("claim")

	driver := t.DriverName()
	metadata.Expect(t, driver, "pod", "main", claim, "one", "two")
	metadata.Expect(t, driver, "pod", "part", claim, "two")
	for container, request := range map[string]string{"part": "one", "none": "two"} {
		path := metadata.Path(driver, claim, request)
		_, found := metadata.ReadFile(t, "pod", container, path)
		t.Expect(found).To(gomega.BeFalse(), "whether there is %s in container %s, which does not use request %s", path, container, request)
	}
	for _, request := range []string{"one", "two"} {
		path := metadata.Path(driver, claim, request)
		t.Expect(metadata.CanWrite(t, "pod", "main", path)).To(gomega.BeFalse(), "whether container main can write %s", path)
	}
}}

// MetadataOfTemplate looks for the file at the path a pod with a template can predict.
var MetadataOfTemplate = harness.Case{Meta: spec.Meta{
	ID:       "core/metadata-of-template",
	Checks:   "The metadata file of a template's claim is at a path with the pod's name for the claim, and contains both names.",
	Requires: []spec.RequirementID{"kubeletplugin/metadata-of-template"},
	Needs:    spec.Needs{Profile: profiles.WritingMetadata(profiles.OneDevice()), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverMetadata}},
	Catches:  []spec.MutantID{"driver-metadata-of-claim"},
}, Run: func(t *harness.T) {
	t.Create(objects.Template("template", objects.Claim("", t.Driver.Request("req"))))
	pod := t.RunPod(podFromTemplate(t, "pod", "template"))
	metadata.Expect(t, t.DriverName(), "pod", "main", t.WaitAllocated(*pod.Status.ResourceClaimStatuses[0].ResourceClaimName), "req")
}}

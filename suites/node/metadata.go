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

package node

import (
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/metadata"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Metadata reads the device metadata file of each request, in two API versions. An additional CDI
// device mounts it, and is deleted with the claim. It tests the library
// k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var Metadata = harness.Case{Meta: spec.Meta{
	ID:       "node/metadata",
	Checks:   "The kubelet plugin library writes each request's metadata in all API versions requested by the driver.",
	Requires: []spec.RequirementID{"kubeletplugin/metadata-versions", "kubeletplugin/metadata-cdi-spec"},
	Needs:    spec.Needs{Profile: profiles.WritingMetadata(profiles.TwoDevices())},
	Catches:  []spec.MutantID{"driver-metadata-newest-only"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	claim := t.WaitAllocated("claim")

	for _, request := range []string{"one", "two"} {
		versions := metadata.Expect(t, t.DriverName(), "pod", "main", claim, request)
		t.Expect(versions).To(gomega.Equal([]string{"v1beta1", "v1alpha1"}), "versions of the API in the file of request %s", request)
	}
	t.Expect(kubelet.CDIDevices(t, t.WaitRunning("pod"), "main")).To(gomega.HaveLen(4), "CDI devices: one of the driver and one with metadata for each request")
	t.RemovePod("pod")
	t.Driver.AwaitUnprepared()
}}

// MetadataOfTwoDrivers satisfies the second alternative of a request with devices of two drivers.
// The container has a file of each driver at the request's path, naming the alternative. It tests
// the library k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var MetadataOfTwoDrivers = harness.Case{Meta: spec.Meta{
	ID:       "node/metadata-of-two-drivers",
	Checks:   "If two drivers serve one request, each metadata file describes its own driver's devices only.",
	Requires: []spec.RequirementID{"kubeletplugin/metadata-of-each-driver", "kubeletplugin/metadata-request-name"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.PrioritizedList}, Profile: profiles.WritingMetadata(profiles.OneDevice())},
	Catches:  []spec.MutantID{"driver-metadata-without-driver"},
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.WritingMetadata(profiles.OneDevice()), nil)
	drivers := []string{t.DriverName(), second.Name}
	class := objects.Class(t.DriverName(), t.DriverName())
	class.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector(fmt.Sprintf("device.driver in [%q, %q]", t.DriverName(), second.Name))}
	t.Create(class, objects.Claim("claim", resourceapi.DeviceRequest{Name: "req", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "never", DeviceClassName: class.Name, Selectors: []resourceapi.DeviceSelector{objects.Selector("false")}},
		{Name: "both", DeviceClassName: class.Name, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2},
	}}))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	claim := t.WaitAllocated("claim")

	var had []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		had = append(had, r.Driver)
	}
	slices.Sort(had)
	slices.Sort(drivers)
	t.Expect(had).To(gomega.Equal(drivers), "drivers of the allocated devices")
	for _, driver := range drivers {
		metadata.Expect(t, driver, "pod", "main", claim, "req")
	}
}}

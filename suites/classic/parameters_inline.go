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

package classic

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ParametersInline has inline parameters, and some for another driver.
var ParametersInline = harness.Case{Meta: spec.Meta{
	ID:       "classic/parameters-inline",
	Checks:   "Parameters of claim and class reach the allocation unchanged and separately; those for other drivers do not.",
	Requires: []spec.RequirementID{"kep-3063/parameters-raw", "kep-3063/class-parameters-apart", "kep-3063/claim-object"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	const ofClass, ofClaim = `{"initCommand":["/usr/local/bin/init","--cluster"]}`, `{"memory":{"amount":2,"unit":"Gi"},"names":[null,true,"a"]}`
	opaque := func(driver, content string) resourceapi.DeviceConfiguration {
		return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(content)}}}
	}
	d.ResourceClass(d.Name(), nil)
	t.Create(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: d.Name()}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{objects.Selector("false")},
		Config:    []resourceapi.DeviceClassConfiguration{classicdra.ClassConfig(d.Name()), {DeviceConfiguration: opaque(d.Name(), ofClass)}},
	}})
	made := claim("claim", d.Name(), atOnce)
	made.Spec.Devices.Config = append(made.Spec.Devices.Config,
		resourceapi.DeviceClaimConfiguration{DeviceConfiguration: opaque(d.Name(), ofClaim)},
		resourceapi.DeviceClaimConfiguration{DeviceConfiguration: opaque("other.example.com", `{"memory":"4Gi"}`)})
	t.Create(made)
	allocation := t.WaitAllocated("claim").Status.Allocation
	found := map[resourceapi.AllocationConfigSource][]string{}
	for _, config := range allocation.Devices.Config {
		t.Expect(config.Opaque.Driver).To(gomega.BeElementOf(d.Name(), classicdra.Group), "requests with a configuration in the allocation")
		t.Expect(config.Requests).To(gomega.Equal([]string{"req"}), "requests with a configuration in the allocation")
		if config.Opaque.Driver == d.Name() {
			found[config.Source] = append(found[config.Source], string(config.Opaque.Parameters.Raw))
		}
	}
	for source, content := range map[resourceapi.AllocationConfigSource]string{resourceapi.AllocationConfigSourceClass: ofClass, resourceapi.AllocationConfigSourceClaim: ofClaim} {
		t.Expect(found[source]).To(gomega.ConsistOf(gomega.MatchJSON(content)), "parameters in the allocation, %s", source)
	}
}}

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

package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

func opaque(driver, parameters string) resourceapi.DeviceConfiguration {
	o := &resourceapi.OpaqueDeviceConfiguration{Driver: driver}
	o.Parameters.Raw = []byte(parameters)
	return resourceapi.DeviceConfiguration{Opaque: o}
}

// ours is a configuration for this API.
func ours(kind, fields string) resourceapi.DeviceConfiguration {
	return opaque(v1alpha1.GroupName, `{"apiVersion": "classic.dra-conformance.github.io/v1alpha1", "kind": "`+kind+`"`+fields+`}`)
}

func check(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestClassConfigOf(t *testing.T) {
	example := ours("ClassConfig", `, "resourceClassName": "example"`)
	tests := []struct {
		name    string
		configs []resourceapi.DeviceConfiguration
		want    string
		err     string
	}{
		{"a class with devices in slices", nil, "", ""},
		{"a class with parameters of a driver", []resourceapi.DeviceConfiguration{opaque("gpu.example.com", `{"kind": "ClassConfig"}`)}, "", ""},
		{"a classic class", []resourceapi.DeviceConfiguration{opaque("gpu.example.com", `{}`), example}, "example", ""},
		{"two resource classes", []resourceapi.DeviceConfiguration{example, example}, "", "configuration 1: names a second resource class"},
		{"no name", []resourceapi.DeviceConfiguration{ours("ClassConfig", "")}, "", "resourceClassName is missing"},
		{"a field that is unknown", []resourceapi.DeviceConfiguration{ours("ClassConfig", `, "resourceClass": "example"`)}, "", `unknown field "resourceClass"`},
		{"another kind", []resourceapi.DeviceConfiguration{ours("ClaimConfig", "")}, "", "is ClaimConfig of"},
		{"no object", []resourceapi.DeviceConfiguration{opaque(v1alpha1.GroupName, `[]`)}, "", "read apiVersion and kind"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			class := &resourceapi.DeviceClass{}
			for _, config := range test.configs {
				class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: config})
			}
			got, err := v1alpha1.ClassConfigOf(class)
			check(t, err, test.err)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestClaimConfigOf(t *testing.T) {
	tests := []struct {
		name    string
		configs []resourceapi.DeviceConfiguration
		want    v1alpha1.AllocationMode
		ref     string
		err     string
	}{
		{"the defaults", nil, v1alpha1.WaitForFirstConsumer, "", ""},
		{"parameters of a driver", []resourceapi.DeviceConfiguration{opaque("gpu.example.com", `{"memory": "2Gi"}`)}, v1alpha1.WaitForFirstConsumer, "", ""},
		{"immediate", []resourceapi.DeviceConfiguration{ours("ClaimConfig", `, "allocationMode": "Immediate"`)}, v1alpha1.Immediate, "", ""},
		{"parameters", []resourceapi.DeviceConfiguration{ours("ClaimConfig", `, "parametersRef": {"apiGroup": "cats.resource.example.com", "kind": "ClaimParameters", "name": "large-black-cats"}`)},
			v1alpha1.WaitForFirstConsumer, "large-black-cats", ""},
		{"unknown mode", []resourceapi.DeviceConfiguration{ours("ClaimConfig", `, "allocationMode": "Delayed"`)}, "", "", `allocationMode "Delayed" is neither Immediate nor WaitForFirstConsumer`},
		{"parameters without a name", []resourceapi.DeviceConfiguration{ours("ClaimConfig", `, "parametersRef": {"kind": "ConfigMap"}`)}, "", "", "needs kind and name"},
		{"two of them", []resourceapi.DeviceConfiguration{ours("ClaimConfig", ""), ours("ClaimConfig", "")}, "", "", "a claim has one ClaimConfig"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			claim := &resourceapi.ResourceClaim{}
			for _, config := range test.configs {
				claim.Spec.Devices.Config = append(claim.Spec.Devices.Config, resourceapi.DeviceClaimConfiguration{DeviceConfiguration: config})
			}
			got, err := v1alpha1.ClaimConfigOf(claim)
			check(t, err, test.err)
			if test.err != "" {
				return
			}
			ref := ""
			if got.ParametersRef != nil {
				ref = got.ParametersRef.Name
			}
			if got.AllocationMode != test.want || ref != test.ref {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAllocationConfigComesBack(t *testing.T) {
	allocation := &resourceapi.AllocationResult{}
	add := func(config resourceapi.DeviceConfiguration) {
		allocation.Devices.Config = append(allocation.Devices.Config, resourceapi.DeviceAllocationConfiguration{DeviceConfiguration: config})
	}
	add(opaque("gpu.example.com", `{}`))
	if _, found, err := v1alpha1.AllocationConfigOf(allocation); found || err != nil {
		t.Errorf("an allocation of a scheduler: found %t, %v", found, err)
	}
	written := v1alpha1.AllocationConfig{ResourceHandle: `{"host": "a"}`, UserLimit: -1}
	add(written.DeviceConfiguration())
	got, found, err := v1alpha1.AllocationConfigOf(allocation)
	if !found || err != nil {
		t.Fatalf("found %t, %v", found, err)
	}
	got.TypeMeta = written.TypeMeta
	if diff := cmp.Diff(written, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	allocation.Devices.Config[1].Opaque.Parameters.Raw = []byte(`{"apiVersion": "x/v1", "kind": "AllocationConfig"}`)
	_, _, err = v1alpha1.AllocationConfigOf(allocation)
	check(t, err, "must be AllocationConfig of classic.dra-conformance.github.io/v1alpha1")
}

// A claim whose allocation had unsorted keys could not be released by a patch: the API server sorts
// them and rejects that as a change of an immutable field.
func TestAllocationConfigIsWhatAPatchLeaves(t *testing.T) {
	raw := v1alpha1.AllocationConfig{ResourceHandle: "h", UserLimit: 1}.DeviceConfiguration().Opaque.Parameters.Raw
	const want = `{"apiVersion":"` + v1alpha1.GroupName + `/v1alpha1","kind":"AllocationConfig","resourceHandle":"h","userLimit":1}`
	if string(raw) != want {
		t.Errorf("got %s", raw)
	}
}

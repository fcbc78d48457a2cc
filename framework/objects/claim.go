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

package objects

import (
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Class is a device class selecting all devices of a driver.
func Class(name, driver string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{Selector(fmt.Sprintf("device.driver == %q", driver))}},
	}
}

// Selector is a CEL selector.
func Selector(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

// Request requests one device of a class matching all selectors.
func Request(name, class string, selectors ...string) resourceapi.DeviceRequest {
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: class}
	for _, s := range selectors {
		exactly.Selectors = append(exactly.Selectors, Selector(s))
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
}

// Claim is a claim with these requests.
func Claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: requests}},
	}
}

// Template makes claims like the given one.
func Template(name string, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaimTemplate {
	return &resourceapi.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourceapi.ResourceClaimTemplateSpec{Spec: *claim.Spec.DeepCopy()},
	}
}

// ClaimParameters are opaque parameters for a driver, for a claim's config.
func ClaimParameters(driver string, values map[string]string) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{DeviceConfiguration: parameters(driver, values)}
}

// ClassParameters are opaque parameters for a driver, for a class's config.
func ClassParameters(driver string, values map[string]string) resourceapi.DeviceClassConfiguration {
	return resourceapi.DeviceClassConfiguration{DeviceConfiguration: parameters(driver, values)}
}

func parameters(driver string, values map[string]string) resourceapi.DeviceConfiguration {
	raw, err := json.Marshal(values)
	if err != nil {
		panic(fmt.Sprintf("strings can always be encoded: %v", err))
	}
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: raw},
	}}
}

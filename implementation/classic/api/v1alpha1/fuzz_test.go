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
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// FuzzAllocationConfigOf checks that a configuration in a claim, which anyone may have written, survives a round trip.
func FuzzAllocationConfigOf(f *testing.F) {
	f.Add(v1alpha1.AllocationConfig{ResourceHandle: "h"}.DeviceConfiguration().Opaque.Parameters.Raw)
	f.Add([]byte(`{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"AllocationConfig"}{}`))
	allocation := func(raw []byte) *resourceapi.AllocationResult {
		config := v1alpha1.AllocationConfig{}.DeviceConfiguration()
		config.Opaque.Parameters.Raw = raw
		return &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Config: []resourceapi.DeviceAllocationConfiguration{{DeviceConfiguration: config}}}}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		config, found, err := v1alpha1.AllocationConfigOf(allocation(raw))
		if err != nil {
			return
		}
		again, foundAgain, err := v1alpha1.AllocationConfigOf(allocation(config.DeviceConfiguration().Opaque.Parameters.Raw))
		if config.TypeMeta = again.TypeMeta; err != nil || !found || !foundAgain || again != config {
			t.Errorf("%+v, then %+v: %v", config, again, err)
		}
	})
}

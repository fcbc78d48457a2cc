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
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassicClass makes a DeviceClass one of classic DRA, by naming a ResourceClass.
func ClassicClass(resourceClass string) resourceapi.DeviceClassConfiguration {
	return resourceapi.DeviceClassConfiguration{DeviceConfiguration: classic("ClassConfig", map[string]any{"resourceClassName": resourceClass})}
}

// ClassicClaim is what the user of a claim of classic DRA chooses; keys are those of
// ClaimConfig, as "allocationMode".
func ClassicClaim(values map[string]any) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{DeviceConfiguration: classic("ClaimConfig", values)}
}

func classic(kind string, values map[string]any) resourceapi.DeviceConfiguration {
	all := map[string]any{"apiVersion": spec.ClassicGroup + "/" + spec.ClassicVersion, "kind": kind}
	for key, value := range values {
		all[key] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("values of a configuration can be encoded: %v", err))
	}
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: spec.ClassicGroup, Parameters: runtime.RawExtension{Raw: raw},
	}}
}

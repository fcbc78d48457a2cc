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

package classicdra

import (
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The API of classic DRA, with allocation by drivers.
const (
	Group   = "classic.dra-conformance.github.io"
	Version = "v1alpha1"
	// ParametersGroup is the API group of parameters defined by cases.
	ParametersGroup = "parameters." + Group
)

// Companion starts schedulers and drivers of classic DRA.
const Companion spec.Companion = "classic"

// ClassConfig makes a DeviceClass one of classic DRA by naming a ResourceClass.
func ClassConfig(resourceClass string) resourceapi.DeviceClassConfiguration {
	return resourceapi.DeviceClassConfiguration{DeviceConfiguration: config("ClassConfig", map[string]any{"resourceClassName": resourceClass})}
}

// ClaimConfig is the user's configuration of a claim of classic DRA, with the keys of the API's
// ClaimConfig, as "allocationMode".
func ClaimConfig(values map[string]any) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{DeviceConfiguration: config("ClaimConfig", values)}
}

func config(kind string, values map[string]any) resourceapi.DeviceConfiguration {
	all := map[string]any{"apiVersion": Group + "/" + Version, "kind": kind}
	for key, value := range values {
		all[key] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("values of a configuration can be encoded: %v", err))
	}
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: Group, Parameters: runtime.RawExtension{Raw: raw},
	}}
}

// PodScheduling is the negotiation of a scheduler with drivers for a pod.
type PodScheduling struct {
	// Owner is the UID of the owning pod.
	Owner string
	// PotentialNodes and SelectedNode are the scheduler's.
	PotentialNodes []string
	SelectedNode   string
	// UnsuitableNodes are the drivers' answers, by claim name in the pod's spec; claims without an answer are missing.
	UnsuitableNodes map[string][]string
}

// ClassicClaim is a driver's record of a claim.
type ClassicClaim struct {
	Driver string
	// Mode is Immediate or WaitForFirstConsumer, Phase is empty, Allocated or Deallocating.
	Mode, Phase string
	// Node is the node selected by the scheduler.
	Node string
	// Handle identifies the resource for the driver.
	Handle string
	// UserLimit is the maximum number of pods using the claim, -1 for unlimited.
	UserLimit int64
	// DeallocationRequested: the scheduler requests deallocation.
	DeallocationRequested bool
}

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

package inject

import (
	"encoding/json"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

// CDIVersion is the required version of the CDI specification: annotations came with 0.6.0.
const CDIVersion = "0.6.0"

// Annotations of a spec with its claim.
const (
	annotationNamespace = "dra-conformance.github.io/namespace"
	annotationClaim     = "dra-conformance.github.io/claim"
	annotationUID       = "dra-conformance.github.io/uid"
	annotationPool      = "dra-conformance.github.io/pool"
	annotationDevice    = "dra-conformance.github.io/device"
	annotationShared    = "dra-conformance.github.io/shared"
	annotationConsumed  = "dra-conformance.github.io/consumed"
)

// Device is an allocated device of a claim with its CDI device.
type Device struct {
	Request string
	Pool    string
	Device  string
	ShareID *types.UID
	// CDI is the fully qualified CDI name.
	CDI string
}

// Claim returns the CDI spec of a claim's allocation and this driver's devices in it, in order of the allocation.
// Without devices of the driver they are empty and the spec is nil. Errors are invalid parameters.
func Claim(driver string, claim *resourceapi.ResourceClaim) (*cdispec.Spec, []Device, error) {
	if claim.Status.Allocation == nil {
		return nil, nil, fmt.Errorf("claim %s/%s is not allocated", claim.Namespace, claim.Name)
	}
	allocation := claim.Status.Allocation.Devices
	spec := &cdispec.Spec{
		Version: CDIVersion,
		Kind:    Kind(driver),
		Annotations: map[string]string{
			annotationNamespace: claim.Namespace,
			annotationClaim:     claim.Name,
			annotationUID:       string(claim.UID),
		},
	}
	var devices []Device
	for _, result := range allocation.Results {
		if result.Driver != driver {
			continue
		}
		env, err := environment(driver, claim, result)
		if err != nil {
			return nil, nil, fmt.Errorf("claim %s/%s, request %s: %w", claim.Namespace, claim.Name, result.Request, err)
		}
		name := fmt.Sprintf("%s-%d", claim.UID, len(devices))
		annotations, err := deviceAnnotations(result)
		if err != nil {
			return nil, nil, fmt.Errorf("claim %s/%s, request %s: %w", claim.Namespace, claim.Name, result.Request, err)
		}
		spec.Devices = append(spec.Devices, cdispec.Device{
			Name:           name,
			Annotations:    annotations,
			ContainerEdits: cdispec.ContainerEdits{Env: env},
		})
		devices = append(devices, Device{
			Request: result.Request, Pool: result.Pool, Device: result.Device, ShareID: result.ShareID,
			CDI: spec.Kind + "=" + name,
		})
	}
	if len(devices) == 0 {
		return nil, nil, nil
	}
	return spec, devices, nil
}

// Kind is the CDI kind of a driver's devices.
func Kind(driver string) string { return driver + "/claim" }

// FileName is the name of a claim's spec file.
func FileName(driver string, uid types.UID) string {
	return filePrefix(driver) + string(uid) + ".json"
}

// UID returns the claim of a spec file, and whether the file is the driver's.
func UID(driver, fileName string) (types.UID, bool) {
	rest, ours := strings.CutPrefix(fileName, filePrefix(driver))
	id, json := strings.CutSuffix(rest, ".json")
	return types.UID(id), ours && json
}

func filePrefix(driver string) string { return driver + "-claim_" }

func deviceAnnotations(result resourceapi.DeviceRequestAllocationResult) (map[string]string, error) {
	annotations := map[string]string{annotationPool: result.Pool, annotationDevice: result.Device}
	if shared(result) {
		annotations[annotationShared] = "true"
	}
	if len(result.ConsumedCapacity) > 0 {
		consumed, err := json.Marshal(result.ConsumedCapacity)
		if err != nil {
			return nil, fmt.Errorf("encode consumed capacity: %w", err)
		}
		annotations[annotationConsumed] = string(consumed)
	}
	return annotations, nil
}

// shared devices may be prepared for several claims at the same time.
func shared(result resourceapi.DeviceRequestAllocationResult) bool {
	return result.ShareID != nil || result.AdminAccess != nil && *result.AdminAccess
}

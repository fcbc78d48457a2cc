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

package nodeplan

import (
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Op is a driver operation.
type Op int

// The driver operations.
const (
	Prepare Op = iota
	Unprepare
)

// String returns the name of the gRPC method.
func (op Op) String() string {
	if op == Unprepare {
		return "NodeUnprepareResources"
	}
	return "NodePrepareResources"
}

// Wrap adds the operation to an error for users.
func (op Op) Wrap(err error) error {
	if op == Unprepare {
		return fmt.Errorf("unprepare dynamic resources: %w", err)
	}
	return fmt.Errorf("prepare dynamic resources: %w", err)
}

func (op Op) skippedAs() resourceapi.SkipNodeOperation {
	if op == Unprepare {
		return resourceapi.SkipNodeOperationNodeUnprepareResources
	}
	return resourceapi.SkipNodeOperationNodePrepareResources
}

// driversOf returns the drivers of a claim's allocation. An operation is skipped for a driver if
// none of its devices needs it (KEP-5945).
func driversOf(claim *resourceapi.ResourceClaim, optional bool) (map[string]DriverState, error) {
	if claim.Status.Allocation == nil {
		return nil, errors.New("not allocated")
	}
	devices := make(map[string][]resourceapi.DeviceRequestAllocationResult)
	for _, result := range claim.Status.Allocation.Devices.Results {
		devices[result.Driver] = append(devices[result.Driver], result)
	}
	drivers := make(map[string]DriverState, len(devices))
	for driver, results := range devices {
		skipped := skippedByAll(results)
		if len(skipped) > 0 && !optional {
			return nil, errors.New("DRAOptionalNodeOperations feature gate is disabled on kubelet")
		}
		drivers[driver] = DriverState{SkipNodeOperations: skipped}
	}
	return drivers, nil
}

func skippedByAll(results []resourceapi.DeviceRequestAllocationResult) []resourceapi.SkipNodeOperation {
	skips := func(op resourceapi.SkipNodeOperation) bool {
		for _, result := range results {
			if !slices.Contains(result.SkipNodeOperations, resourceapi.SkipNodeOperationAll) &&
				!slices.Contains(result.SkipNodeOperations, op) {
				return false
			}
		}
		return true
	}
	if skips(resourceapi.SkipNodeOperationAll) {
		return []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
	}
	var skipped []resourceapi.SkipNodeOperation
	for _, op := range []resourceapi.SkipNodeOperation{
		resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources,
	} {
		if skips(op) {
			skipped = append(skipped, op)
		}
	}
	return skipped
}

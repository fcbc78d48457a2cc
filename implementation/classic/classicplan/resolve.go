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

package classicplan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// ErrNotClassic means no class of a claim names a ResourceClass: the scheduler allocates the claim,
// or it must wait for a class.
var ErrNotClassic = errors.New("not a classic claim")

// Request is the request of a classic claim.
type Request struct {
	// Name is the name of the claim's only request, for allocation results.
	Name string
	// DeviceClass and ResourceClass are class names. The second may not exist.
	DeviceClass, ResourceClass string
	// Config is the user's configuration.
	Config v1alpha1.ClaimConfig
}

// Resolve returns the request of a classic claim. class looks up a DeviceClass and returns nil if
// there is none. Errors are ErrNotClassic and mistakes of the user or administrator, fixable only
// by a new claim or a change of the class; in that case, known classes are returned as well.
//
// A classic claim has one request, like claims of KEP-3063 have one class. A claim with additional
// requests is rejected, because the scheduler and a driver would both have to write its single
// allocation.
func Resolve(claim *resourceapi.ResourceClaim, class func(name string) *resourceapi.DeviceClass) (Request, error) {
	var found Request
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		for _, name := range classNames(request) {
			c := class(name)
			if c == nil {
				continue
			}
			resourceClass, err := v1alpha1.ClassConfigOf(c)
			if err != nil {
				return Request{}, err
			}
			if resourceClass != "" {
				found = Request{Name: request.Name, DeviceClass: name, ResourceClass: resourceClass}
			}
		}
	}
	if found.Name == "" {
		return Request{}, ErrNotClassic
	}
	if problems := unsupported(&claim.Spec.Devices); len(problems) > 0 {
		return found, fmt.Errorf("device class %s is allocated by a driver: %s", found.DeviceClass, strings.Join(problems, ", "))
	}
	var err error
	found.Config, err = v1alpha1.ClaimConfigOf(claim)
	return found, err
}

func classNames(request *resourceapi.DeviceRequest) []string {
	var names []string
	if request.Exactly != nil {
		names = append(names, request.Exactly.DeviceClassName)
	}
	for i := range request.FirstAvailable {
		names = append(names, request.FirstAvailable[i].DeviceClassName)
	}
	return names
}

// unsupported lists features of structured parameters. Drivers do not see them, so they must not be
// silently ignored.
func unsupported(devices *resourceapi.DeviceClaim) []string {
	var problems []string
	if len(devices.Requests) != 1 {
		problems = append(problems, "the claim must have no other request")
	}
	if len(devices.Constraints) > 0 {
		problems = append(problems, "the claim must have no constraints")
	}
	exactly := devices.Requests[0].Exactly
	if exactly == nil {
		return append(problems, "the request must not have alternatives")
	}
	if len(exactly.Selectors) > 0 {
		problems = append(problems, "the request must have no selectors")
	}
	if exactly.AllocationMode == resourceapi.DeviceAllocationModeAll || exactly.Count > 1 {
		problems = append(problems, "the request must be for one device")
	}
	if exactly.AdminAccess != nil && *exactly.AdminAccess {
		problems = append(problems, "the request must not be for admin access")
	}
	if len(exactly.Tolerations) > 0 || exactly.Capacity != nil {
		problems = append(problems, "the request must have neither tolerations nor capacity")
	}
	return problems
}

// Finalizer is the driver's finalizer on its claims and records: they must exist until the driver
// has freed the resource.
func Finalizer(driver string) string { return driver + "/deletion-protection" }

func has(finalizers []string, driver string) bool {
	return slices.Contains(finalizers, Finalizer(driver))
}

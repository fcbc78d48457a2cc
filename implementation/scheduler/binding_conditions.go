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

package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	// ErrBindingTimeout means the devices of a claim were not ready for binding in time.
	ErrBindingTimeout = errors.New("device binding timeout")
	// ErrBindingFailed means a driver reported a binding failure condition.
	ErrBindingFailed = errors.New("device binding failed")
)

// bindingReady reports whether all devices of an allocated claim have all their binding conditions
// (KEP-5007). The error names a failure condition set to true.
func bindingReady(claim *resourceapi.ResourceClaim) (bool, error) {
	if claim.Status.Allocation == nil {
		return false, nil
	}
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if len(result.BindingConditions) == 0 {
			continue
		}
		conditions := deviceConditions(claim, result)
		for _, name := range result.BindingFailureConditions {
			if c := apimeta.FindStatusCondition(conditions, name); c != nil && c.Status == metav1.ConditionTrue {
				return false, fmt.Errorf("%w: claim=%s, reason=%s, message=%q", ErrBindingFailed, claim.Name, c.Reason, c.Message)
			}
		}
		for _, name := range result.BindingConditions {
			if !apimeta.IsStatusConditionTrue(conditions, name) {
				return false, nil
			}
		}
	}
	return true, nil
}

// deviceConditions returns the conditions reported for a device, nil if there are none.
func deviceConditions(claim *resourceapi.ResourceClaim, result *resourceapi.DeviceRequestAllocationResult) []metav1.Condition {
	for i := range claim.Status.Devices {
		d := &claim.Status.Devices[i]
		if d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device {
			return d.Conditions
		}
	}
	return nil
}

// needsBinding reports whether a device of the pod has binding conditions.
func needsBinding(a *attempt) bool {
	for _, c := range a.claims {
		if hasBindingConditions(c.claim) {
			return true
		}
	}
	return false
}

func hasBindingConditions(claim *resourceapi.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	for i := range claim.Status.Allocation.Devices.Results {
		if len(claim.Status.Allocation.Devices.Results[i].BindingConditions) > 0 {
			return true
		}
	}
	return false
}

// bindingTimedOut reports whether the claim's binding deadline has passed.
func (pl *Plugin) bindingTimedOut(claim *resourceapi.ResourceClaim, now time.Time) bool {
	deadline, ok := pl.bindingDeadline(claim)
	return ok && deadline.Before(now)
}

// bindingDeadline returns the deadline for the devices of a claim; ok is false if there is none.
func (pl *Plugin) bindingDeadline(claim *resourceapi.ResourceClaim) (deadline time.Time, ok bool) {
	if !hasBindingConditions(claim) || claim.Status.Allocation.AllocationTimestamp == nil {
		return time.Time{}, false
	}
	return claim.Status.Allocation.AllocationTimestamp.Add(pl.bindingTimeout(claim)), true
}

// describeBinding lists missing and failed conditions for logs.
func describeBinding(a *attempt) string {
	var parts []string
	for _, c := range a.claims {
		if c.claim.Status.Allocation == nil {
			continue
		}
		for i := range c.claim.Status.Allocation.Devices.Results {
			result := &c.claim.Status.Allocation.Devices.Results[i]
			if len(result.BindingConditions) == 0 {
				continue
			}
			conditions := deviceConditions(c.claim, result)
			part := fmt.Sprintf("<driver=%s, pool=%s> %s", result.Driver, result.Pool, result.Device)
			if failed := having(conditions, result.BindingFailureConditions, true); len(failed) > 0 {
				part += fmt.Sprintf(" failed=[%s]", strings.Join(failed, ","))
			}
			if pending := having(conditions, result.BindingConditions, false); len(pending) > 0 {
				part += fmt.Sprintf(" pending=[%s]", strings.Join(pending, ","))
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// having returns the names of conditions with status true, or of the others.
func having(conditions []metav1.Condition, names []string, isTrue bool) []string {
	var found []string
	for _, name := range names {
		if apimeta.IsStatusConditionTrue(conditions, name) == isTrue {
			found = append(found, name)
		}
	}
	return found
}

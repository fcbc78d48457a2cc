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
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

const (
	// BindingTimeoutAttribute is a device attribute with a duration like "90s", overriding
	// DRAArgs.BindingTimeout. It stands for KEP-5007's field bindingTimeout, missing in
	// resource.k8s.io/v1.
	BindingTimeoutAttribute resourceapi.QualifiedName = "dra-conformance.github.io/bindingTimeout"
	// bindingTimeoutAnnotation stores the shortest timeout of the claim's devices at allocation time.
	bindingTimeoutAnnotation = "dra-conformance.github.io/binding-timeout"
)

// bindingTimeout returns the binding timeout of a claim.
func (pl *Plugin) bindingTimeout(claim *resourceapi.ResourceClaim) time.Duration {
	if timeout, ok := parseTimeout(claim.Annotations[bindingTimeoutAnnotation]); ok {
		return timeout
	}
	return pl.args.BindingTimeout.Duration
}

// parseTimeout returns false for invalid texts; they are ignored.
func parseTimeout(text string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	timeout, err := time.ParseDuration(text)
	return timeout, err == nil && timeout > 0
}

// bindingTimeoutOf returns the annotation for a claim about to be allocated on a node: empty unless a
// device has its own timeout.
func (pl *Plugin) bindingTimeoutOf(node *inventory.Node, claim *resourceapi.ResourceClaim) string {
	if claim == nil || node == nil || !hasBindingConditions(claim) {
		return ""
	}
	shortest, own := time.Duration(0), false
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if len(result.BindingConditions) == 0 {
			continue
		}
		timeout, ok := attributeTimeout(node, inventory.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device})
		if !ok {
			timeout = pl.args.BindingTimeout.Duration
		}
		own = own || ok
		if shortest == 0 || timeout < shortest {
			shortest = timeout
		}
	}
	if !own {
		return ""
	}
	return shortest.String()
}

func attributeTimeout(node *inventory.Node, id inventory.DeviceID) (time.Duration, bool) {
	for _, device := range node.Devices {
		if device.ID != id {
			continue
		}
		attribute := device.Spec.Attributes[BindingTimeoutAttribute]
		if attribute.StringValue == nil {
			return 0, false
		}
		return parseTimeout(*attribute.StringValue)
	}
	return 0, false
}

// setBindingTimeout sets or removes the annotation and reports whether it changed, e.g. from an
// earlier allocation.
func setBindingTimeout(claim *resourceapi.ResourceClaim, timeout string) bool {
	if claim.Annotations[bindingTimeoutAnnotation] == timeout {
		return false
	}
	if timeout == "" {
		delete(claim.Annotations, bindingTimeoutAnnotation)
		return true
	}
	if claim.Annotations == nil {
		claim.Annotations = make(map[string]string)
	}
	claim.Annotations[bindingTimeoutAnnotation] = timeout
	return true
}

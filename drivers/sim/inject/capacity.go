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
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

// Capacity is an amount per capacity.
type Capacity = map[resourceapi.QualifiedName]resource.Quantity

// Exceeded returns an error if the shares in spec and in the prepared specs of other claims are more than a device has.
// capacity returns nil for an unknown device.
func Exceeded(spec *cdispec.Spec, prepared []*cdispec.Spec, capacity func(pool, device string) Capacity) error {
	consumed := map[deviceID]Capacity{}
	for _, s := range append(slices.Clone(prepared), spec) {
		if s != spec && SpecUID(s) == SpecUID(spec) {
			continue
		}
		for _, device := range s.Devices {
			if err := add(consumed, device); err != nil {
				return err
			}
		}
	}
	for _, device := range spec.Devices {
		id := idOf(device)
		has := capacity(id.pool, id.device)
		for _, name := range slices.Sorted(maps.Keys(consumed[id])) {
			total, limit := consumed[id][name], has[name]
			if has != nil && total.Cmp(limit) > 0 {
				return fmt.Errorf("device %s of pool %s has %s %s, and its shares consume %s", id.device, id.pool, &limit, name, &total)
			}
		}
	}
	return nil
}

// add adds a prepared device's share.
func add(consumed map[deviceID]Capacity, device cdispec.Device) error {
	text := device.Annotations[annotationConsumed]
	if text == "" {
		return nil
	}
	var share Capacity
	if err := json.Unmarshal([]byte(text), &share); err != nil {
		return fmt.Errorf("read consumed capacity of CDI device %s: %w", device.Name, err)
	}
	id := idOf(device)
	if consumed[id] == nil {
		consumed[id] = Capacity{}
	}
	for name, amount := range share {
		total := consumed[id][name]
		total.Add(amount)
		consumed[id][name] = total
	}
	return nil
}

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
)

// controllerGroup and allocationConfig are the API group and kind by which a driver's own
// controller (KEP-3063) describes an allocation.
const (
	controllerGroup  = "classic.dra-conformance.github.io"
	allocationConfig = "AllocationConfig"
)

// handed returns the environment in the handle of an allocation made by the driver's controller.
// Only the driver's own parts understand the handle.
func handed(raw []byte) (map[string]string, error) {
	var said struct {
		Kind           string `json:"kind"`
		ResourceHandle string `json:"resourceHandle"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return nil, fmt.Errorf("read the controller's response: %w", err)
	}
	if said.Kind != allocationConfig || said.ResourceHandle == "" {
		return nil, nil
	}
	var handle struct {
		Environment map[string]string `json:"environment"`
	}
	if err := json.Unmarshal([]byte(said.ResourceHandle), &handle); err != nil {
		return nil, fmt.Errorf("read the controller's handle: %w", err)
	}
	for key, value := range handle.Environment {
		if err := checkVariable(key, value); err != nil {
			return nil, fmt.Errorf("read the controller's handle: %w", err)
		}
	}
	return handle.Environment, nil
}

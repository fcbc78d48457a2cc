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

// allocationConfig is the kind by which the controller of a classic driver says in an
// allocation what it has taken (implementation/classic/api, AllocationConfig).
const allocationConfig = "AllocationConfig"

// handed is the environment in the handle that a driver's own controller has left in an
// allocation (classic DRA): the driver's parts understand each other's handles, and nobody
// else. Its variables have the names that containers are to see.
func handed(raw []byte) (map[string]string, error) {
	var said struct {
		Kind           string `json:"kind"`
		ResourceHandle string `json:"resourceHandle"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return nil, fmt.Errorf("read what the controller said: %w", err)
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

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

package spec

import (
	"errors"
	"fmt"
)

// DevicePlugin is an extended resource served by a device plugin: countable devices only (KEP-5004 allows nodes of
// both kinds side by side).
type DevicePlugin struct {
	// Resource is the name of the extended resource.
	Resource string `json:"resource"`
	// Devices are their IDs.
	Devices []string `json:"devices,omitempty"`
}

// Validate returns all problems at once.
func (p DevicePlugin) Validate() error {
	var errs []error
	if p.Resource == "" && len(p.Devices) > 0 {
		errs = append(errs, errors.New("the resource is missing"))
	}
	seen := map[string]bool{}
	for _, id := range p.Devices {
		if id == "" || seen[id] {
			errs = append(errs, fmt.Errorf("device ID %q is empty or there twice", id))
		}
		seen[id] = true
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("device plugin %q: %w", p.Resource, errors.Join(errs...))
}

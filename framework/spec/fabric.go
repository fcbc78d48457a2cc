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
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// FabricCondition is a condition set by the fabric for devices on a node (KEP-5007): it becomes true in the status of
// each claim allocated such a device on that node.
type FabricCondition struct {
	// Type of the condition; devices without it as a binding condition or binding failure condition are skipped.
	Type string `json:"type"`
	// Claim restricts it to the claim of this name; empty means all.
	Claim string `json:"claim,omitempty"`
	// Delay counts from the allocation, or from the setting of the condition if later.
	Delay time.Duration `json:"delay,omitempty"`
	// Message is the condition's message; the default names dra-sim.
	Message string `json:"message,omitempty"`
}

// ConditionSet is a condition set by the fabric.
type ConditionSet struct {
	Time   time.Time `json:"time"`
	Claim  string    `json:"claim"`
	UID    types.UID `json:"uid"`
	Pool   string    `json:"pool"`
	Device string    `json:"device"`
	Type   string    `json:"type"`
}

// Validate returns all problems at once.
func (c FabricCondition) Validate() error {
	var errs []error
	if c.Type == "" {
		errs = append(errs, errors.New("the type is missing"))
	}
	if c.Delay < 0 {
		errs = append(errs, errors.New("delay must not be negative"))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("fabric condition %q: %w", c.Type, errors.Join(errs...))
}

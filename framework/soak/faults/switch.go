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

package faults

import (
	"context"
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Switch replaces components of a cluster made for the soak.
type Switch struct {
	Switcher clusters.Switcher
	To       clusters.Stack
}

var _ soak.Fault = Switch{}

// Name implements soak.Fault.
func (s Switch) Name() string {
	for _, component := range clusters.Components() {
		if whose := s.To.Of(component); whose != "" {
			return "switch " + component + " to " + string(whose)
		}
	}
	return "switch nothing"
}

// Do returns when the new components work. An interrupted switch leaves the old or the new ones.
func (s Switch) Do(ctx context.Context, target soak.Target) error {
	if target.Cluster == "" {
		return errors.New("components can be switched only in a cluster created by soak")
	}
	if _, err := s.Switcher.Switch(ctx, target.Cluster, s.To); err != nil {
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	return nil
}

// BackAndForth switches components of a cluster n times each, in turns, starting with the other implementation.
// Errors: an unknown component.
func BackAndForth(switcher clusters.Switcher, has clusters.Stack, components []string, n int) ([]soak.Fault, error) {
	var list []soak.Fault
	for range n {
		for _, component := range components {
			whose := spec.Own
			if has.Of(component) == spec.Own {
				whose = spec.Stock
			}
			if err := has.Set(component, string(whose)); err != nil {
				return nil, err
			}
			var to clusters.Stack
			if err := to.Set(component, string(whose)); err != nil {
				return nil, err
			}
			list = append(list, Switch{Switcher: switcher, To: to})
		}
	}
	return list, nil
}

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

package catalogue

import (
	"encoding/json"
	"fmt"
	"maps"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Render returns the catalogue of cases as YAML.
func Render(cases []spec.Meta) ([]byte, error) {
	entries := make([]map[string]any, 0, len(cases))
	for _, c := range cases {
		e, err := entry(c)
		if err != nil {
			return nil, fmt.Errorf("render catalogue: case %s: %w", c.ID, err)
		}
		entries = append(entries, e)
	}
	content, err := yaml.Marshal(entries)
	if err != nil {
		return nil, fmt.Errorf("render catalogue: %w", err)
	}
	return append([]byte("# Generated from the cases with \"make generate\"; do not edit.\n"), content...), nil
}

// entry is a case's data and needs, without fields used only in code.
func entry(c spec.Meta) (map[string]any, error) {
	needs, err := fields(c.Needs)
	if err != nil {
		return nil, err
	}
	e, err := fields(c)
	if err != nil {
		return nil, err
	}
	delete(e, "needs")
	delete(e, "timeout")
	delete(e, "noMutant")
	maps.Copy(e, needs)
	e["nodes"] = c.Needs.LeastNodes()
	if name := c.Needs.Profile.Name; name != "" {
		e["profile"] = name
	}
	if timeout := c.Needs.BindingTimeout; timeout != 0 {
		e["bindingTimeout"] = timeout.String()
	}
	return e, nil
}

// fields returns a value's JSON fields.
func fields(of any) (map[string]any, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	return all, json.Unmarshal(data, &all)
}

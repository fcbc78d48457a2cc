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

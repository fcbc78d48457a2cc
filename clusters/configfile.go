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

package clusters

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// DecodeConfig reads a cluster file strictly. It reports all unknown and duplicate fields, wrong types and failures
// of Validate at once, with line and field.
func DecodeConfig(data []byte) (Config, error) {
	var document yamlv3.Node
	if err := yamlv3.Unmarshal(data, &document); err != nil {
		return Config{}, errors.New(strings.TrimPrefix(err.Error(), "yaml: ")) // "line 3: …"
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return Config{}, nil
	}
	root := document.Content[0]
	if root.Kind != yamlv3.MappingNode {
		return Config{}, fmt.Errorf("line %d: a cluster file consists of fields, as in \"workers: 2\"", root.Line)
	}
	if err := unknownFields(root, reflect.TypeFor[Config](), ""); err != nil {
		return Config{}, err
	}
	var c Config
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return Config{}, located(root, err)
	}
	var errs []error
	if err := c.WithDefaults("").Validate(); err != nil {
		for problem := range strings.Lines(err.Error()) {
			problem = strings.TrimSpace(problem)
			field, _, _ := strings.Cut(problem, ":")
			errs = append(errs, fmt.Errorf("line %d: %s", lineOf(root, field), problem))
		}
	}
	return c, errors.Join(errs...)
}

// unknownFields reports the fields of the mapping at path that the struct type does not have.
func unknownFields(mapping *yamlv3.Node, of reflect.Type, path string) error {
	known := fields(of)
	var errs []error
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		field, ok := known[key.Value]
		if !ok {
			names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			errs = append(errs, fmt.Errorf("line %d: %sunknown field %q, known are %s", key.Line, path, key.Value, names))
		} else if field.Kind() == reflect.Struct && value.Kind == yamlv3.MappingNode {
			errs = append(errs, unknownFields(value, field, path+key.Value+": "))
		}
	}
	return errors.Join(errs...)
}

// fields returns a struct's fields by their names in a file.
func fields(of reflect.Type) map[string]reflect.Type {
	names := map[string]reflect.Type{}
	for field := range of.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			names[name] = field.Type
		}
	}
	return names
}

var lineInMessage = regexp.MustCompile(`line \d+: .*`)

// located adds line and field to a decoder error.
func located(root *yamlv3.Node, err error) error {
	if text := lineInMessage.FindString(err.Error()); text != "" {
		return errors.New(text)
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	field, _, _ := strings.Cut(wrong.Field, ".")
	path, line := field, lineOf(root, field)
	want := wanted(wrong.Type)
	if key, ok := misfit(valueOf(root, field), wrong.Type); ok {
		path, line = field+"."+key.Value, key.Line
	}
	return fmt.Errorf("line %d: %s: must be %s, is %s", line, path, want, article(wrong.Value))
}

// misfit finds the first entry of a mapping with a value of the wrong type.
func misfit(mapping *yamlv3.Node, want reflect.Type) (key *yamlv3.Node, ok bool) {
	if mapping == nil || mapping.Kind != yamlv3.MappingNode {
		return nil, false
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		value := mapping.Content[i+1]
		if deeper, ok := misfit(value, want); ok {
			deeper.Value = mapping.Content[i].Value + "." + deeper.Value
			return deeper, true
		}
		fits := map[reflect.Kind]bool{
			reflect.Bool:   value.Tag == "!!bool",
			reflect.Int:    value.Tag == "!!int",
			reflect.String: value.Kind == yamlv3.ScalarNode,
			reflect.Map:    value.Kind == yamlv3.MappingNode,
			reflect.Struct: value.Kind == yamlv3.MappingNode,
			reflect.Slice:  value.Kind == yamlv3.SequenceNode,
		}
		if !fits[want.Kind()] {
			return mapping.Content[i], true
		}
	}
	return nil, false
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Map, reflect.Struct:
		return "a list of fields"
	case reflect.Slice:
		return "a list"
	default:
		return "a text"
	}
}

func article(json string) string {
	switch {
	case json == "array":
		return "a list"
	case json == "object":
		return "a group of fields"
	case json == "bool":
		return "true or false"
	case strings.HasPrefix(json, "number"):
		return "a number" + strings.TrimPrefix(json, "number")
	default:
		return "a text"
	}
}

func lineOf(root *yamlv3.Node, field string) int {
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == field {
			return root.Content[i].Line
		}
	}
	return root.Line
}

func valueOf(root *yamlv3.Node, field string) *yamlv3.Node {
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == field {
			return root.Content[i+1]
		}
	}
	return nil
}

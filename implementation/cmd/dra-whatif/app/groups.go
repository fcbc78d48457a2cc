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

package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"

	yamltree "go.yaml.in/yaml/v3"
	strict "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// readGroups reads the groups from a file, or from standard input for "-".
func readGroups(name string) ([]*simulation.Group, error) {
	var content []byte
	var err error
	if name == "-" {
		name = "standard input"
		content, err = io.ReadAll(os.Stdin)
	} else {
		content, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	return parseGroups(name, content)
}

// parseGroups returns the groups, or all errors with their lines.
func parseGroups(name string, content []byte) ([]*simulation.Group, error) {
	var tree yamltree.Node
	if err := yamltree.Unmarshal(content, &tree); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	converted, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &problems{name: name, tree: &tree}
	var file struct {
		Groups []json.RawMessage `json:"groups"`
	}
	p.decode("", converted, &file)
	groups := make([]*simulation.Group, 0, len(file.Groups))
	named := make(map[string]bool)
	for i, raw := range file.Groups {
		group, path := &simulation.Group{}, fmt.Sprintf("groups[%d]", i)
		if p.decode(path, raw, group) {
			p.add(path, group.Validate())
		}
		if named[group.Name] {
			p.add(path, fmt.Errorf("name: duplicate group %s", group.Name))
		}
		named[group.Name] = true
		groups = append(groups, group)
	}
	if len(groups) == 0 && len(p.found) == 0 {
		p.add("", errors.New("groups: must not be empty"))
	}
	if len(p.found) > 0 {
		return nil, errors.Join(p.found...)
	}
	return groups, nil
}

// problems are the errors in a file.
type problems struct {
	name  string
	tree  *yamltree.Node
	found []error
}

// decode decodes content into into and returns true on success; unknown fields are errors, too.
func (p *problems) decode(path string, content []byte, into any) bool {
	unknown, err := strict.UnmarshalStrict(content, into)
	for _, u := range unknown {
		p.at(path+"."+quoted.FindString(u.Error()), u)
	}
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		p.at(path+"."+mismatch.Field, fmt.Errorf("%s: must be a %[3]s, got a %[2]s", mismatch.Field, mismatch.Value, mismatch.Type))
	case err != nil:
		p.at(path, err)
	}
	return err == nil
}

// quoted matches the path in the error for an unknown field.
var quoted = regexp.MustCompile(`"[^"]*"$`)

// leading matches the path at the beginning of a message.
var leading = regexp.MustCompile(`^[a-zA-Z]+(\[\d+\])?`)

// add adds errors whose messages begin with a path below path.
func (p *problems) add(path string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			p.add(path, e)
		}
		return
	}
	if err != nil {
		p.at(path+"."+leading.FindString(err.Error()), err)
	}
}

func (p *problems) at(path string, err error) {
	p.found = append(p.found, fmt.Errorf("%s:%d: %w", p.name, lineOf(p.tree, path), err))
}

// step matches one part of a path.
var step = regexp.MustCompile(`[^.\[\]"]+`)

// lineOf returns the line of a path's deepest existing part.
func lineOf(tree *yamltree.Node, path string) int {
	at, line := tree, max(1, tree.Line)
	if at.Kind == yamltree.DocumentNode && len(at.Content) > 0 {
		at = at.Content[0]
	}
	for _, name := range step.FindAllString(path, -1) {
		next, found := child(at, name)
		if next == nil {
			return line
		}
		at, line = next, found
	}
	return line
}

// child returns a field or list item and its line, nil if it does not exist.
func child(at *yamltree.Node, name string) (*yamltree.Node, int) {
	switch at.Kind {
	case yamltree.MappingNode:
		for i := 0; i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				return at.Content[i+1], at.Content[i].Line
			}
		}
	case yamltree.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(at.Content) {
			return at.Content[i], at.Content[i].Line
		}
	}
	return nil, 0
}

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
	"encoding/json"
	"maps"
	"slices"
)

// Companion names a program started by a run for its cases, in addition to the cluster's components. It is also the
// name of the field in a case's needs.
type Companion string

// NeedsCompanion reports whether the case needs a companion.
func (n Needs) NeedsCompanion(c Companion) bool { return slices.Contains(n.Companions, c) }

// NeedsCompanion reports whether an unskipped entry needs a companion.
func (p Plan) NeedsCompanion(c Companion) bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && e.Meta.Needs.NeedsCompanion(c) })
}

// fields are the needs without custom encoding.
type fields Needs

// MarshalJSON writes each companion as a field of its own with the value true.
func (n Needs) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(fields(n))
	if err != nil || len(n.Companions) == 0 {
		return data, err
	}
	for _, c := range n.Companions {
		if data, err = AddField(data, string(c), true); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// AddField adds a field to a JSON object.
func AddField(object []byte, name string, value any) ([]byte, error) {
	field, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return nil, err
	}
	if string(object) == "{}" {
		return field, nil
	}
	return slices.Concat(object[:len(object)-1], []byte(","), field[1:]), nil
}

// UnmarshalJSON reads each unknown field with the value true as a companion.
func (n *Needs) UnmarshalJSON(data []byte) error {
	var all, known map[string]json.RawMessage
	*n = Needs{}
	if err := json.Unmarshal(data, (*fields)(n)); err != nil {
		return err
	}
	others, err := json.Marshal((*fields)(n))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	if err := json.Unmarshal(others, &known); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, other := known[name]; !other && string(all[name]) == "true" {
			n.Companions = append(n.Companions, Companion(name))
		}
	}
	return nil
}

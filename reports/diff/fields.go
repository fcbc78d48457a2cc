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

package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Field is a difference between two values.
type Field struct {
	// Path locates the field, for example `cases[core/one-device].result`.
	Path string `json:"path"`
	// A and B are the values as JSON; empty if absent.
	A string `json:"a,omitempty"`
	B string `json:"b,omitempty"`
}

// Fields returns the differences between two values, sorted by path. List items with an id, name, path
// or case are matched by it, others by position.
func Fields(a, b any) ([]Field, error) {
	plainA, err := plain(a)
	if err != nil {
		return nil, err
	}
	plainB, err := plain(b)
	if err != nil {
		return nil, err
	}
	var c comparison
	c.values("", plainA, plainB)
	return c.differences, nil
}

// plain converts a value to generic JSON types.
func plain(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	return out, nil
}

type comparison struct{ differences []Field }

func (c *comparison) values(path string, a, b any) {
	mapA, isMapA := a.(map[string]any)
	mapB, isMapB := b.(map[string]any)
	listA, isListA := a.([]any)
	listB, isListB := b.([]any)
	switch {
	case isMapA && isMapB:
		c.maps(path, mapA, mapB, "%s.%s")
	case isListA && isListB:
		c.maps(path, byKey(listA), byKey(listB), "%s[%s]")
	default:
		if textA, textB := text(a), text(b); textA != textB {
			c.differences = append(c.differences, Field{path, textA, textB})
		}
	}
}

func (c *comparison) maps(path string, a, b map[string]any, format string) {
	keys := slices.Sorted(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		inner := fmt.Sprintf(format, path, k)
		if path == "" && format == "%s.%s" {
			inner = k
		}
		c.values(inner, a[k], b[k])
	}
}

// byKey indexes the items of a list by name.
func byKey(list []any) map[string]any {
	items, next := map[string]any{}, map[string]int{}
	for i, item := range list {
		key := fmt.Sprint(i)
		if object, ok := item.(map[string]any); ok {
			for _, name := range []string{"id", "path", "case", "name"} {
				if named, ok := object[name].(string); ok && named != "" {
					key = named
					break
				}
			}
			// Replicas of a component share its name.
			if node, ok := object["node"].(string); ok && node != "" {
				key += " on " + node
			}
		}
		free := key
		for {
			if _, taken := items[free]; !taken {
				break
			}
			next[key] = max(next[key], i) + 1 // each number once, or a list of equal names takes quadratic time
			free = fmt.Sprintf("%s, %d", key, next[key]-1)
		}
		items[free] = item
	}
	return items
}

func text(v any) string {
	if v == nil {
		return ""
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

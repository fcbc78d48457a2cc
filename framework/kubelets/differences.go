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

package kubelets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// facts are a kubelet's values by path.
type facts map[string]string

// differences returns a line for each path with different values, with the meaning of the difference.
func differences(stock, own facts, meaning string) (lines []string) {
	all := maps.Clone(stock)
	maps.Copy(all, own)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		s, o := stock.at(place), own.at(place)
		if s != o {
			lines = append(lines, fmt.Sprintf("%s: stock %s, own %s: %s", place, s, o, meaning))
		}
	}
	return lines
}

func (f facts) at(place string) string {
	if value, ok := f[place]; ok {
		return value
	}
	return "says nothing"
}

// factsOf returns the values of a JSON document; paths begin with name.
func factsOf(name string, document []byte) (facts, error) {
	var content any
	if err := json.Unmarshal(document, &content); err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, err)
	}
	f := facts{}
	return f, f.add(name, content)
}

// add adds a JSON value and its nested values. An empty one is a value, too.
func (f facts) add(place string, value any) error {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if err := f.add(place+"."+key, inner); err != nil {
				return err
			}
		}
		if len(v) > 0 {
			return nil
		}
	case []any:
		for i, inner := range v {
			if err := f.add(place+"["+strconv.Itoa(i)+"]", inner); err != nil {
				return err
			}
		}
		if len(v) > 0 {
			return nil
		}
	}
	text, err := json.Marshal(value)
	f[place] = string(text)
	return err
}

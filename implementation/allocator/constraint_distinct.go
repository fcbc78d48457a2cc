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

package allocator

import "slices"

// distinct is distinctAttribute: all values differ.
type distinct struct{ attribute }

// accepts an unknown type only for the first device: it compares to nothing.
func (distinct) accepts(chosen held, v value) bool {
	return v.kind != missing && (len(chosen) == 0 || v.kind != unknown && !slices.Contains(chosen, v))
}

func (distinct) separates() bool { return false }

// bound is the number of different values.
func (distinct) bound(devices []int, _ []value, numbers []int) int {
	different := make(map[int]bool)
	for _, i := range devices {
		different[numbers[i]] = true
	}
	return len(different)
}

func (distinct) key(chosen held) held { return chosen }

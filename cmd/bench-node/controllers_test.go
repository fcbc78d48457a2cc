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

package main

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

// kube-controller-manager runs on both sides, so that leaving it out of ours would count
// for less what takes more memory.
func TestMemoryOfASideIsThatOfAllThatRunsThere(t *testing.T) {
	for others, components := range map[clusters.Implementation][]string{
		clusters.Own:   {"kube-controller-manager", "dra-controller-manager"},
		clusters.Stock: {"kube-controller-manager"},
	} {
		var r sides[controllerResult]
		both := sidesOf(&r, others)
		if stock := both[0]; stock.whose != clusters.Stock || !slices.Equal(stock.components, []string{"kube-controller-manager"}) || stock.result != &r.Stock {
			t.Errorf("stock: %+v", stock)
		}
		if other := both[1]; other.whose != others || !slices.Equal(other.components, components) || other.result != &r.Own {
			t.Errorf("%s: %+v", others, other)
		}
	}
}

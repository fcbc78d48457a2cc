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

package harness

import (
	"slices"
	"testing"
)

// Fail without faults ends those before, also when it reaches the driver as JSON, where an
// empty list is another thing than none.
func TestFailWithoutFaultsEndsThem(t *testing.T) {
	f, drivers := newFake(t), &told{}
	f.env.Agents, f.Nodes = drivers, []string{"node"}
	d := f.addDriver("driver", f.meta.Needs.Profile)

	succeeds(t, f, func() { d.Fail() })

	if want := []string{`{"faults":[]}`}; !slices.Equal(drivers.changes, want) {
		t.Errorf("sent %v", drivers.changes)
	}
}

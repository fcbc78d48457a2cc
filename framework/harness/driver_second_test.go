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

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// A case's second driver is stopped with the first one, and is called by another name.
func TestSecondDriver(t *testing.T) {
	f := newFake(t, &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: "node", ResourceSliceCount: 1}}})
	a := &agents{status: func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Registered: true, Calls: []spec.Call{{Method: spec.Prepare, Claims: []spec.ClaimCall{{Name: "claim"}}}}}, nil
	}}
	f.env.Agents, f.Nodes, f.Namespace = a, []string{"node"}, "dratest-abc"
	f.Driver = f.addDriver("first", spec.Profile{})
	var second *Driver
	succeeds(t, f, func() { second = f.SecondDriver(spec.Profile{Pools: []spec.Pool{{}}}) })
	if n := len(f.hooks.cleanup); second.Name == f.Driver.Name || n != 2 {
		t.Errorf("driver %s, and the case stops %d", second.Name, n)
	}
	if got := second.CalledOn("claim"); !slices.Equal(got, []string{"node"}) {
		t.Errorf("called on %v", got)
	}
	if got := second.CalledOn("other"); len(got) != 0 {
		t.Errorf("called on %v", got)
	}
}

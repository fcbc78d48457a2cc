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

package classicdra

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// The kubelet looks for the driver of an allocation, so the part on nodes has the controller's
// name. It stops with the case.
func TestPartOfADriverOnNodes(t *testing.T) {
	nodes := &harnesstest.Agents{}
	target := spec.Target{Nodes: []spec.Node{{Name: "a", OS: "linux", Schedulable: true}}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: nodes, Driver: simdriver.New(""), Plan: spec.Plan{Target: target}})
	p := &Program{c: &DRA{t: f.T}, what: ProcessConfig{Driver: DriverConfig{Name: "classic.example.com"}}}
	f.Succeeds(t, func() { p.OnNodes() })
	if want := []string{"a classic.example.com"}; !slices.Equal(nodes.Started, want) {
		t.Errorf("started %q, want %q", nodes.Started, want)
	}
	if err := f.End(t); err != nil || !slices.Equal(nodes.Stopped, nodes.Started) {
		t.Errorf("stopped %q, %v", nodes.Stopped, err)
	}
}

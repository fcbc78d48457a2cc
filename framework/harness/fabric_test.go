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
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// told are drivers that remember as what changes travel to them.
type told struct {
	agents

	changes []string
}

func (d *told) ChangeDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	d.changes = append(d.changes, string(r.Json))
	return &emptypb.Empty{}, nil
}

// A script that was to say nothing any more went on: null leaves a script as it is.
func TestFabricIsToldToSayNothing(t *testing.T) {
	f, drivers := newFake(t), &told{}
	f.env.Agents, f.Nodes, f.Driver = drivers, []string{"node"}, f.addDriver("d", f.meta.Needs.Profile)
	succeeds(t, f, func() {
		f.Driver.Fabric("node", spec.FabricCondition{Type: "a"})
		f.Driver.Fabric("node")
	})
	if want := []string{`{"fabric":[{"type":"a"}]}`, `{"fabric":[]}`}; !slices.Equal(drivers.changes, want) {
		t.Errorf("got %v", drivers.changes)
	}
}

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

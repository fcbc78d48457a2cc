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
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// away are drivers that cannot be changed for some calls.
type away struct {
	agents

	calls, until int
}

func (a *away) ChangeDriver(context.Context, *agentapi.DriverSpec, ...grpc.CallOption) (*emptypb.Empty, error) {
	if a.calls++; a.calls < a.until {
		return nil, errors.New("dial tcp 10.96.0.1:443: connect: connection refused")
	}
	return &emptypb.Empty{}, nil
}

// An instance was started again when the API server had just been replaced, and could
// not reach it yet by the address of its service.
func TestDriverIsChangedWhenItReachesTheServer(t *testing.T) {
	f, drivers := newFake(t), &away{until: 3}
	drivers.status = func(string) (spec.DriverStatus, error) { return spec.DriverStatus{Registered: true}, nil }
	f.env.Agents, f.Nodes, f.Driver = drivers, []string{"node"}, f.addDriver("d", f.meta.Needs.Profile)
	succeeds(t, f, func() { f.Driver.Connect() })
	if drivers.calls != 3 {
		t.Errorf("%d calls", drivers.calls)
	}
}

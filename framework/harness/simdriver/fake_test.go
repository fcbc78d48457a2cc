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

package simdriver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// driverName is the name of the driver of a case in harnesstest.
const driverName = "case-abcde.dra-conformance.github.io"

// agents are those of all nodes. They record the changes of drivers, as JSON.
type agents struct {
	harnesstest.Agents

	status func(node string) (spec.DriverStatus, error) // nil is a registered driver
	// tries counts starts and changes; those before until fail.
	tries, until int
	changes      []string
}

func (a *agents) try() error {
	if a.tries++; a.tries < a.until {
		return errors.New("dial tcp 10.96.0.1:443: connect: connection refused")
	}
	return nil
}

func (a *agents) StartDriver(ctx context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	if err := a.try(); err != nil {
		return nil, err
	}
	return a.Agents.StartDriver(ctx, r)
}

func (a *agents) ChangeDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	a.changes = append(a.changes, string(r.Json))
	return &emptypb.Empty{}, a.try()
}

func (a *agents) GetDriverStatus(_ context.Context, r *agentapi.DriverRequest, _ ...grpc.CallOption) (*agentapi.JSON, error) {
	if a.status == nil {
		return &agentapi.JSON{Json: agentapi.Encode(spec.DriverStatus{Registered: true})}, nil
	}
	status, err := a.status(r.Node)
	return &agentapi.JSON{Json: agentapi.Encode(status)}, err
}

// ListDrivers returns the drivers started on a node.
func (a *agents) ListDrivers(_ context.Context, r *agentapi.NodeRequest, _ ...grpc.CallOption) (*agentapi.Names, error) {
	names := &agentapi.Names{}
	for _, started := range a.Started {
		if name, ok := strings.CutPrefix(started, r.Node+" "); ok {
			names.Names = append(names.Names, name)
		}
	}
	return names, nil
}

func (*agents) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{}, nil
}

// newCase is a case with a driver and its pool on the only node, "node".
func newCase(t *testing.T, a *agents, objects ...runtime.Object) (*harnesstest.Case, *Driver) {
	t.Helper()
	needs := spec.Needs{Profile: spec.Profile{Pools: []spec.Pool{{}}}}
	target := spec.Target{Nodes: []spec.Node{{Name: "node", OS: "linux", Schedulable: true}}}
	f := harnesstest.New(t, spec.Meta{Needs: needs}, &harness.Env{Agents: a, Driver: New(""), Plan: spec.Plan{Target: target}}, objects...)
	return f, Of(f.T)
}

// wholePool is a pool of one slice.
func wholePool() *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: "node", ResourceSliceCount: 1}}}
	slice.Name = "node-driver-x"
	return slice
}

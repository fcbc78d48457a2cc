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

package harnesstest

import (
	"context"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Agents are fake agents with working drivers. They record the drivers that they
// start and stop as "node driver", in order.
type Agents struct {
	agentapi.AgentClient

	mu               sync.Mutex
	Started, Stopped []string
}

func (a *Agents) record(list *[]string, node, driver string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*list = append(*list, node+" "+driver)
	slices.Sort(*list)
}

// StartDriver implements agentapi.AgentClient.
func (a *Agents) StartDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	a.record(&a.Started, r.Node, r.Driver)
	return &emptypb.Empty{}, nil
}

// ChangeDriver implements agentapi.AgentClient.
func (*Agents) ChangeDriver(context.Context, *agentapi.DriverSpec, ...grpc.CallOption) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// GetDriverStatus implements agentapi.AgentClient.
func (*Agents) GetDriverStatus(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	return &agentapi.JSON{Json: agentapi.Encode(spec.DriverStatus{Registered: true})}, nil
}

// StopDriver implements agentapi.AgentClient.
func (a *Agents) StopDriver(_ context.Context, r *agentapi.DriverRequest, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	a.record(&a.Stopped, r.Node, r.Driver)
	return &emptypb.Empty{}, nil
}

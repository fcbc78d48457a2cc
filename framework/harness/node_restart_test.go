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
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// asleep is an agent that cannot be reached until it has been asked so often; then its
// driver has to be started.
type asleep struct {
	agents

	calls, until int
}

func (a *asleep) StartDriver(ctx context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	if a.calls++; a.calls < a.until {
		return nil, errors.New("talk to dra-sim: connection refused")
	}
	return a.agents.StartDriver(ctx, r)
}

func TestDriverComesBackWithItsNode(t *testing.T) {
	slice := partOfPool("devices")
	slice.Spec.Pool.ResourceSliceCount = 1
	f := newFake(t, slice)
	drivers := &asleep{until: 3}
	drivers.status = func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Registered: len(drivers.started) > 0}, nil
	}
	f.meta.Needs.Profile.Pools = make([]spec.Pool, 1)
	f.env.Agents, f.Nodes, f.Driver = drivers, []string{"node"}, f.addDriver("d", f.meta.Needs.Profile)
	succeeds(t, f, func() { f.Driver.comeBack("node") })
	if len(drivers.started) != 1 || drivers.calls != 3 {
		t.Errorf("started %q in %d calls", drivers.started, drivers.calls)
	}

	// A driver without its pools is not back.
	if err := f.Client.ResourceV1().ResourceSlices().Delete(t.Context(), slice.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if failed := failureOf(func() { f.Driver.comeBack("node") }); failed == nil {
		t.Error("it is back without its pools")
	}
}

// A control plane that restarts answers nothing for longer than other waits put up with.
func TestPatienceWithANodeThatRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		ctx, cancel := context.WithTimeout(t.Context(), restartPatience)
		defer cancel()
		f.ctx = ctx
		began := time.Now()
		look := func(context.Context) (bool, string, error) {
			if time.Since(began) < 4*await.Patience {
				return false, "", errors.New("connection refused")
			}
			return true, "it answers", nil
		}
		if failed := failureOf(func() { f.poll("the node", restartPatience, look) }); failed != nil {
			t.Error(failed.message)
		}
		began = time.Now()
		if failed := failureOf(func() { f.Poll("anything else", look) }); failed == nil || time.Since(began) > 2*await.Patience {
			t.Errorf("%v after %s", failed, time.Since(began))
		}
	})
}

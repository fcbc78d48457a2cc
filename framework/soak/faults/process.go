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

package faults

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ControlPlane is a provider of clusters with components as local processes.
type ControlPlane interface {
	// Restart kills and restarts components, and returns once they are healthy.
	Restart(ctx context.Context, cluster string, programs ...string) error
}

// Restarts returns a kill of each component with a process of its own.
func Restarts(plane ControlPlane) []soak.Fault {
	return []soak.Fault{Restart{spec.Scheduler, plane}, Restart{"controller-manager", plane}, Restart{spec.Controllers, plane}}
}

func programs() map[string]string {
	return map[string]string{spec.Scheduler: "kube-scheduler", "controller-manager": "kube-controller-manager", spec.Controllers: "dra-controller-manager"}
}

// Restart kills and restarts a component running as a local process.
type Restart struct {
	Component string
	Plane     ControlPlane
}

var _ soak.Fault = Restart{}

// Name implements soak.Fault.
func (r Restart) Name() string { return "kill " + r.Component }

// Do implements soak.Fault.
func (r Restart) Do(ctx context.Context, target soak.Target) error {
	return r.Plane.Restart(ctx, target.Cluster, programs()[r.Component])
}

// AwaitWork waits until a successor works, so the next kill hits a working one.
func AwaitWork(ctx context.Context, what string, works func() (bool, error)) error {
	if err := wait.PollUntilContextCancel(ctx, Pause, true, func(context.Context) (bool, error) { return works() }); err != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return nil
}

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
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// errNotRegistered says that a kubelet did not register a driver that runs.
var errNotRegistered = errors.New("driver not registered")

// startTime bounds how long a kubelet takes to register a driver, and a driver to
// publish its pools, where nothing is wrong. The time of a case may end before.
const startTime = 2 * time.Minute

// StartDriver starts an instance of a driver on a node and returns once the kubelet has
// registered it: to start a pod before that counts as an error, or not, depending on
// which of the two is the faster.
func StartDriver(ctx context.Context, agents agentapi.AgentClient, node string, config spec.DriverConfig) error {
	if err := agentapi.Start(ctx, agents, node, config); err != nil {
		return fmt.Errorf("start driver on %s: %w", node, err)
	}
	return awaitRegistered(ctx, agents, node, config.Name)
}

func awaitRegistered(ctx context.Context, agents agentapi.AgentClient, node, driver string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	last := ""
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		status, err := agentapi.Status(ctx, agents, node, driver)
		last = cmp.Or(status.RegistrationError, status.Problem)
		return status.Registered, err
	})
	if err != nil {
		return fmt.Errorf("%w: wait for the kubelet on %s to register driver %s: %w (last seen: %q)", errNotRegistered, node, driver, err, last)
	}
	return nil
}

// AwaitPools waits until so many pools of a driver are published as a whole: a driver
// registers before its last slice is there, and a kubelet that it registers with may
// remove the node's slices before.
func AwaitPools(ctx context.Context, client kubernetes.Interface, driver string, want int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	got := 0
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
		if err != nil {
			return false, fmt.Errorf("list slices: %w", err)
		}
		got = audit.CompletePools(list.Items)
		return got == want, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d pools of driver %s: %w (complete: %d)", want, driver, err, got)
	}
	return nil
}

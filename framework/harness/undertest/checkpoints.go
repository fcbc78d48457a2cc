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

package undertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
)

// AwaitUnprepared waits for all claims of the case to leave the kubelets' checkpoints. Deallocation
// is not enough: claims of force-deleted pods are deallocated earlier.
func (d *Driver) AwaitUnprepared() {
	ginkgo.GinkgoHelper()
	d.t.Poll("the kubelets to have no claim of the case prepared", func(ctx context.Context) (bool, string, error) {
		left, err := d.inCheckpoints(ctx)
		switch {
		case ctx.Err() != nil: // its time is over, and it is as it was when it was last seen
		case err != nil:
			d.t.SetBlocked(err.Error()) // unreadable checkpoints are not the fault of the driver
		default:
			d.t.SetBlocked("")
		}
		return len(left) == 0, fmt.Sprintf("claims are in the checkpoints of %v", left), err
	})
}

// errUnseen is the error for unreadable checkpoints.
var errUnseen = errors.New("the kubelet's prepared claims cannot be read")

// checkpoint is the evidence file with a kubelet's DRA checkpoint.
const checkpoint = "dra_manager_state"

// inCheckpoints returns the driver's nodes with prepared claims of the case. Errors: errUnseen.
func (d *Driver) inCheckpoints(ctx context.Context) ([]string, error) {
	entry := fmt.Sprintf(`\"Namespace\":\"%s\"`, d.t.Namespace)
	var left []string
	for _, node := range d.spec.ClassFor(d.t.Meta().Needs.DriverFeatures).Nodes {
		files, err := agentapi.ReadEvidence(ctx, d.t.Env().Agents, node, time.Now())
		content, ok := files[checkpoint]
		if !ok {
			return nil, fmt.Errorf("%w on node %s: %w", errUnseen, node, err)
		}
		if strings.Contains(string(content), entry) {
			left = append(left, node)
		}
	}
	return left, nil
}

// awaitUnprepared waits for the kubelets to unprepare the case's claims.
func (d *Driver) awaitUnprepared(ctx context.Context) error {
	var left []string
	err := await.Until(ctx, func(ctx context.Context) (_ bool, err error) {
		left, err = d.inCheckpoints(ctx)
		return err == nil && len(left) == 0, err
	})
	if err != nil {
		if errors.Is(err, errUnseen) && !ginkgo.CurrentSpecReport().Failed() {
			d.t.SetBlocked(err.Error())
		}
		return fmt.Errorf("wait for the kubelets to unprepare: %w; left: %s", err, strings.Join(left, ", "))
	}
	return nil
}

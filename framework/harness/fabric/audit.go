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

package fabric

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
)

// audit ends the case if its fabric attached a device to two nodes, or detached a device of a claim
// in use. It skips failed cases.
func (c *Fabric) audit() {
	if ginkgo.CurrentSpecReport().Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), harness.FinishTimeout)
	defer cancel()
	if err := c.check(ctx); err != nil {
		ginkgo.Fail(err.Error())
	}
}

// check returns the violations seen in two reads with the same claims.
func (c *Fabric) check(ctx context.Context) error {
	var reads [2][]audit.Violation
	for i := range reads {
		seen, err := c.look(ctx)
		if err != nil {
			return fmt.Errorf("look at the fabric and its claims at the end: %w", err)
		}
		reads[i] = audit.Attached(seen)
	}
	if found := audit.Confirm(reads[0], reads[1]); len(found) > 0 {
		return fmt.Errorf("violated rules of the fabric at the end:\n%s", audit.Texts(found))
	}
	return nil
}

// WaitNothingLeft waits until each attached device of this cluster belongs to a claim.
func (c *Fabric) WaitNothingLeft() {
	ginkgo.GinkgoHelper()
	c.t.Poll("no device of the fabric to be attached for nobody", func(ctx context.Context) (bool, string, error) {
		seen, err := c.look(ctx)
		if err != nil {
			return false, err.Error(), nil // the fabric may be away for a moment
		}
		left := audit.AttachedForNobody(seen)
		return len(left) == 0, audit.Texts(left), nil
	})
}

// look reads claims first, so two reads with the same claims enclose the read of the fabric.
func (c *Fabric) look(ctx context.Context) (audit.Fabric, error) {
	seen := audit.Fabric{Driver: c.t.DriverName()}
	claims, err := c.t.Client.ResourceV1().ResourceClaims(c.t.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return seen, err
	}
	devices, err := c.Devices(ctx)
	if err != nil {
		return seen, err
	}
	published, err := c.t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(seen.Driver)})
	if err != nil {
		return seen, err
	}
	seen.Claims, seen.Slices = claims.Items, published.Items
	for _, d := range devices {
		seen.Devices = append(seen.Devices, d)
	}
	return seen, nil
}

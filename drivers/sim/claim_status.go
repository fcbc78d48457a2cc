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

package sim

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/drivers/sim/fabric"
)

// ready is the condition of prepared devices.
const ready = "Ready"

// setConditions adds Ready conditions of the driver's devices to a claim's status (KEP-4817). Existing conditions stay, as
// when a claim is prepared again.
func (p *plugin) reportReady(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	claims := p.client.ResourceV1().ResourceClaims(claim.Namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := claims.Get(ctx, claim.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if now.UID != claim.UID {
			return fmt.Errorf("it is another claim by now, with UID %s", now.UID)
		}
		reported := len(now.Status.Devices)
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.Driver != p.driver || fabric.StatusOf(now.Status.Devices, r) != nil {
				continue
			}
			now.Status.Devices = append(now.Status.Devices, resourceapi.AllocatedDeviceStatus{
				Driver: r.Driver, Pool: r.Pool, Device: r.Device, ShareID: fabric.ShareID(r), Conditions: []metav1.Condition{{
					Type: ready, Status: metav1.ConditionTrue, Reason: "Prepared", Message: "The device is prepared.", LastTransitionTime: metav1.Now(),
				}},
			})
		}
		if len(now.Status.Devices) == reported {
			return nil
		}
		_, err = claims.UpdateStatus(ctx, now, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("write the status of the devices of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

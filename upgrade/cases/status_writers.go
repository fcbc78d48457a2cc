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

package cases

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// StatusWriters has a user without a driver's rights try to write device status.
var StatusWriters = Case{
	Meta: spec.Meta{
		ID:       "upgrade/status-writers",
		Checks:   "In each mix of versions only users with rights for the driver can write device status, and it survives steps.",
		Requires: []spec.RequirementID{"resource-v1/status-driver-authorized", "kep-4817/status-kept"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceStatus, spec.GranularStatusAuthorization}, Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		allowReport(t, reporter)
		mayUpdate(t, stranger)
		t.Create(objects.Claim("stays", one(t.DriverName())))
		t.RunPod(objects.Pod("stays", t.Image, "stays"))
		n.note(t, "stays", "stays")
		report(t, reporter, "stays", reportedStatus(t, t.Claim("stays"), n.reported()))
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		expectReported(t, "stays", reportedStatus(t, t.Claim("stays"), n.reported()))
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if !step.Changes(path.APIServer) {
			return
		}
		// The user's rights for the status are effective once the rejection names the device.
		strange, written := reportedStatus(t, t.Claim("stays"), "strange"), false
		t.Poll("user "+stranger+" to be refused", func(ctx context.Context) (bool, string, error) {
			err := tryReport(ctx, t, stranger, "stays", strange)
			switch {
			case err == nil:
				written = true
				return true, "it is written", nil
			case !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err):
				return false, "", err
			}
			return strings.Contains(err.Error(), "status.devices"), err.Error(), nil
		})
		t.Expect(written).To(gomega.BeFalse(), "user %s with permission only for the status of claims has written a device's status", stranger)
		expectReported(t, "stays", reportedStatus(t, t.Claim("stays"), n.reported()))
		n.Round++
		report(t, reporter, "stays", reportedStatus(t, t.Claim("stays"), n.reported()))
		expectReported(t, "stays", reportedStatus(t, t.Claim("stays"), n.reported()))
	},
	Gone: func(t *harness.T, _ *Notes) { end(t, "stays") },
}

// reported returns the status written in a round.
func (n *Notes) reported() string { return fmt.Sprintf("round %d", n.Round) }

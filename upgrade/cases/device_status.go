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

	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
)

// Users allowed to update the status of claims in the case's namespace; only teller may write
// device status of the case's driver.
const (
	reporter = "dra-conformance:teller"
	stranger = "dra-conformance:stranger"
)

// allowReport grants a user a driver's rights, not required by API servers before v1.36.
func allowReport(t *harness.T, user string) {
	mayUpdate(t, user, rbacv1.PolicyRule{
		APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/driver"}, ResourceNames: []string{t.DriverName()},
		Verbs: []string{resourceapi.VerbPrefixArbitraryNode + "update"},
	})
}

func mayUpdate(t *harness.T, user string, rules ...rbacv1.PolicyRule) {
	rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update"}})
	t.Create(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})
}

// reportedStatus returns a driver's status of an allocated claim's only device.
func reportedStatus(t *harness.T, claim *resourceapi.ResourceClaim, what string) resourceapi.AllocatedDeviceStatus {
	device := result(t, claim)
	return resourceapi.AllocatedDeviceStatus{Driver: device.Driver, Pool: device.Pool, Device: device.Device, Data: &runtime.RawExtension{Raw: []byte(`{"told":"` + what + `"}`)}}
}

// report writes a claim's device status as a user, once the user's rights are effective.
func report(t *harness.T, user, claim string, status resourceapi.AllocatedDeviceStatus) {
	t.Poll("user "+user+" to write the status of the device of claim "+claim, func(ctx context.Context) (bool, string, error) {
		err := tryReport(ctx, t, user, claim, status)
		if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsConflict(err) {
			return false, err.Error(), nil
		}
		return err == nil, "it is written", err
	})
}

func tryReport(ctx context.Context, t *harness.T, user, claim string, status resourceapi.AllocatedDeviceStatus) error {
	now, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(ctx, claim, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now.Status.Devices = []resourceapi.AllocatedDeviceStatus{status}
	_, err = t.As(rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}).ResourceV1().ResourceClaims(t.Namespace).
		UpdateStatus(ctx, now, metav1.UpdateOptions{})
	return err
}

func expectReported(t *harness.T, claim string, want resourceapi.AllocatedDeviceStatus) {
	t.Expect(t.Claim(claim).Status.Devices).To(gomega.BeComparableTo([]resourceapi.AllocatedDeviceStatus{want}), "status of the device of claim %s", claim)
}

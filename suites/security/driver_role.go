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

package security

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverRole grants and revokes rights of a driver's service account. Without the right to get
// claims, prepare fails with an event. Without the right to update slices, the driver gets an
// error. It tests the library k8s.io/dynamic-resource-allocation in the test driver, not a vendor's
// driver.
var DriverRole = harness.Case{Meta: spec.Meta{
	ID:       "security/driver-role",
	Checks:   "A driver needs only rights to get claims and nodes, and to manage ResourceSlices.",
	Requires: []spec.RequirementID{"kep-4381/driver-permissions"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	NoMutant: "only the library k8s.io/dynamic-resource-allocation could request more rights, and this project does not replace it in any driver",
}, Run: func(t *harness.T) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "driver"}}
	t.Create(account)
	const dra = "resource.k8s.io"
	mayGet, mayUpdate := grant(t, account, dra, "resourceclaims", "get"), grant(t, account, dra, "resourceslices", "update")
	grant(t, account, "", "nodes", "get")
	grant(t, account, dra, "resourceslices", "list", "watch", "create", "delete")
	request, err := t.Client.CoreV1().ServiceAccounts(t.Namespace).CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	t.NoError(err, "get a token for the driver")
	driver := simdriver.Second(t, profiles.OneDevice(), func(c *spec.DriverConfig) {
		c.Publishing, c.Access = spec.PublishByHelper, spec.Access{Token: request.Status.Token}
	})
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class, objects.Claim("claim", objects.Request("req", class.Name)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "the device")
	t.RemovePod("pod")
	driver.AwaitUnprepared()
	t.WaitDeallocated("claim")

	t.Delete(mayUpdate)
	t.Delete(mayGet)
	user := t.As(rest.ImpersonationConfig{UserName: "system:serviceaccount:" + t.Namespace + ":" + account.Name})
	t.Poll("the driver to be refused claims", func(ctx context.Context) (bool, string, error) {
		_, err := user.ResourceV1().ResourceClaims(t.Namespace).Get(ctx, "claim", metav1.GetOptions{})
		return apierrors.IsForbidden(err), describe.Response(err), nil
	})
	t.Create(objects.Pod("waits", t.Image, "claim"))
	t.WaitEvent("waits", "FailedPrepareDynamicResources", "forbidden")
	driver.Publish(profiles.TwoDevices())
	t.Expect(driver.AwaitProblem()).To(gomega.ContainSubstring("forbidden"), "data passed to the driver when it publishes")
	grant(t, account, dra, "resourceclaims", "get", "list")
	t.WaitRunning("waits")
}}

// grant grants a service account rights on a resource. Deleting the returned object revokes them.
func grant(t *harness.T, account *corev1.ServiceAccount, group, resource string, verbs ...string) *rbacv1.ClusterRoleBinding {
	meta := metav1.ObjectMeta{Name: fmt.Sprintf("%s.%s.%s-%d", t.Namespace, resource, verbs[0], len(verbs))}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: t.Namespace}},
	}
	t.Create(&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}}}, binding)
	return binding
}

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

	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TemplateUser has a user with no right but to create pods.
var TemplateUser = harness.Case{Meta: spec.Meta{
	ID:       "security/template-user",
	Checks:   "A user with only the right to create pods gets a claim from a template, but cannot access the claim itself.",
	Requires: []spec.RequirementID{"kep-4381/template-without-claim-permission"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	name := "user-of-" + t.Namespace
	meta := metav1.ObjectMeta{Name: "pods"}
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))),
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}}})
	user := t.As(rest.ImpersonationConfig{UserName: name, Groups: []string{"system:authenticated"}})

	t.Poll("the user to be allowed to create a pod", func(ctx context.Context) (bool, string, error) {
		_, err := user.CoreV1().Pods(t.Namespace).Create(ctx, objects.PodFromTemplate("pod", t.Image, "template"), metav1.CreateOptions{})
		if apierrors.IsForbidden(err) {
			return false, err.Error(), nil
		}
		return err == nil, describe.Response(err), err
	})

	pod := t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "device of the user's pod")
	generated := *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	claims := user.ResourceV1().ResourceClaims(t.Namespace)
	_, createErr := claims.Create(t.Context(), objects.Claim("claim", objects.Request("req", class)), metav1.CreateOptions{})
	_, getErr := claims.Get(t.Context(), generated, metav1.GetOptions{})
	for what, err := range map[string]error{"create": createErr, "get": getErr, "delete": claims.Delete(t.Context(), generated, metav1.DeleteOptions{})} {
		t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "to %s a claim as the user, to be forbidden: %v", what, err)
	}
}}

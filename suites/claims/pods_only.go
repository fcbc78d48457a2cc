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

package claims

import (
	"context"

	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodsOnly creates pods as a user without permission to create claims.
var PodsOnly = harness.Case{Meta: spec.Meta{
	ID:       "claims/pods-only",
	Checks:   "A user without permission to create claims gets the claim of a template by creating a pod.",
	Requires: []spec.RequirementID{"kep-4381/template-without-claim-permission"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	name := "user-of-" + t.Namespace
	meta := metav1.ObjectMeta{Name: "pods"}
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))),
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "pods"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}}})
	user := t.As(rest.ImpersonationConfig{UserName: name})
	// New permissions reach API servers with a short delay.
	t.Poll("the user to create a pod", func(ctx context.Context) (bool, string, error) {
		_, err := user.CoreV1().Pods(t.Namespace).Create(ctx, objects.PodFromTemplate("pod", t.Image, "template"), metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err), describe.Response(err), nil
	})
	_, err := user.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), objects.Claim("claim", objects.Request("req", class)), metav1.CreateOptions{})
	t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "the user's own claim is forbidden: %v", err)
	t.WaitScheduled("pod")
	t.Expect(generated(t, "pod")).To(matchers.HaveDevices("device-0"), "device of the claim created for the pod")
}}

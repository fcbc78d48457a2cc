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

package api

import (
	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassByAdministrator writes classes as a user allowed to create pods.
var ClassByAdministrator = harness.Case{Meta: spec.Meta{
	ID:       "api/class-by-administrator",
	Checks:   "A user who may create pods and claims can neither create nor change nor delete classes.",
	Requires: []spec.RequirementID{"kep-5004/class-by-administrator"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	t.Create(podAccount(), objects.Class(t.Namespace, driver))
	mayHere(t, "pods", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}, user(t))
	mayHere(t, "claims", rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims"}, Verbs: []string{"create"}}, user(t))
	client := t.As(rest.ImpersonationConfig{UserName: user(t), Groups: []string{"system:authenticated"}})
	allowed(t, "a pod of the user", func() error {
		return create(t, client.CoreV1().Pods(t.Namespace))(unscheduled(objects.Pod("pod", t.Image, "claim")))
	})
	t.NoError(create(t, client.ResourceV1().ResourceClaims(t.Namespace))(validClaim()), "create a claim as the user")

	t.Step("create, change and delete a class as the user")
	classes := client.ResourceV1().DeviceClasses()
	name := []byte(`{"spec":{"extendedResourceName":"example.com/gpu"}}`)
	_, patchErr := classes.Patch(t.Context(), t.Namespace, types.MergePatchType, name, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	for what, err := range map[string]error{
		"create": create(t, classes)(validClass()), "change": patchErr,
		"delete": classes.Delete(t.Context(), t.Namespace, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}),
	} {
		t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "%s a class, to be forbidden: %v", what, err)
	}
}}

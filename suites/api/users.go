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
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// group is the API group of these cases.
const group = "resource.k8s.io"

// user returns the name of a user with no permissions but the case's.
func user(t *harness.T) string { return "user-of-" + t.Namespace }

// asNode returns a client with a kubelet's credentials.
func asNode(t *harness.T, node string) kubernetes.Interface {
	return t.As(rest.ImpersonationConfig{UserName: "system:node:" + node, Groups: []string{"system:nodes", "system:authenticated"}})
}

// mayUpdateStatus lets users write the status of claims in the case's namespace, except for parts with permissions of
// their own.
func mayUpdateStatus(t *harness.T, users ...string) {
	mayHere(t, "status", rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update"}}, users...)
}

// mayHere grants users a permission in the case's namespace.
func mayHere(t *harness.T, name string, right rbacv1.PolicyRule, users ...string) {
	meta := metav1.ObjectMeta{Name: name}
	t.Create(&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{right}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects(users)})
}

// mayEverywhere grants a user a permission in all namespaces.
func mayEverywhere(t *harness.T, right rbacv1.PolicyRule, users ...string) {
	meta := metav1.ObjectMeta{Name: t.Namespace}
	t.Create(&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{right}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: t.Namespace}, Subjects: subjects(users)})
}

func subjects(users []string) []rbacv1.Subject {
	return numbered(len(users), func(i int) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: users[i]}
	})
}

// allowed waits until a request is no longer forbidden: new permissions reach API servers with a short delay.
func allowed(t *harness.T, what string, do func() error) {
	t.Poll(what+" to be allowed", func(context.Context) (bool, string, error) {
		err := do()
		return err == nil, describe.Response(err), nil
	})
}

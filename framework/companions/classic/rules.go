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

package classic

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

// Rules are the permissions to install the CRDs of classic DRA, and those cases need and grant to their schedulers
// and drivers. Without them, a run skips these cases.
func Rules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("apiextensions.k8s.io", []string{"customresourcedefinitions"}, "create", "get", "update", "delete"),
		rule("admissionregistration.k8s.io", []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"}, "get", "update"),
		rule(classicdra.Group, []string{"resourceclasses", "podschedulings", "classicclaims"}, "create", "get", "list", "watch", "update", "delete"),
		rule(classicdra.Group, []string{"podschedulings/status", "classicclaims/status"}, "update"),
		rule("", []string{"configmaps"}, "create", "get", "delete"),
		rule(classicdra.ParametersGroup, []string{"*"}, "create", "get", "delete"), // kinds defined by cases
		rule("", []string{"nodes"}, "watch"),
		rule("", []string{"events"}, "create", "patch"),
		rule("resource.k8s.io", []string{"deviceclasses"}, "watch"),
	}
}

func rule(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

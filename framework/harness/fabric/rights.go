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
	"github.com/onsi/ginkgo/v2"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// allow gives the controller cluster-wide rights with a role of this name.
func allow(t *harness.T, name string, rules ...rbacv1.PolicyRule) {
	ginkgo.GinkgoHelper()
	t.Grant(name, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: controllerUser, Namespace: t.Namespace}, rules...)
}

// MayReport lets the controller write the status of the driver's devices on any node.
func (c *Fabric) MayReport() *Fabric {
	ginkgo.GinkgoHelper()
	allow(c.t, c.t.Namespace+"-composable-status", statusRule(c.t.DriverName()))
	return c
}

// ControllerRules are exactly the rules in the manifest of dra-composable-controller, for a driver.
func ControllerRules(driver string) []rbacv1.PolicyRule {
	return append(controllerRules(), statusRule(driver))
}

// statusRule is the right to write the status of a driver's devices on any node.
func statusRule(driver string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/driver"}, ResourceNames: []string{driver}, Verbs: []string{"arbitrary-node:update"}}
}

// controllerRules are the manifest's rules except the one of MayReport.
func controllerRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		objects.Rule("", "nodes", "list", "watch"),
		objects.Rule("", "events", "create", "patch"),
		objects.Rule("resource.k8s.io", "resourceclaims", "list", "watch"),
		objects.Rule("resource.k8s.io", "resourceclaims/status", "update"),
		objects.Rule("resource.k8s.io", "resourceslices", "list", "watch", "create", "update", "delete"),
		objects.Rule("resource.k8s.io", "devicetaintrules", "list", "watch", "create", "delete"),
	}
}

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

package access

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
)

const dra = "resource.k8s.io"

// Rules are all rights used by a run in a cluster, for any selection of cases, and no others; disruptive includes
// cases that need the cluster alone or restart components. Granting rights requires having them, so those of the test
// driver and of the cases' users are included.
func Rules(disruptive bool) []rbacv1.PolicyRule {
	rules := slices.Concat(looking(), agents(), objects(), users())
	if disruptive {
		rules = append(rules, disrupting()...)
	}
	return rules
}

func rule(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// looking are the rights for discovery: versions, feature gates, nodes, existing objects.
func looking() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}, // the API server's feature gates
		// How many API servers there are; components that lose theirs.
		rule("coordination.k8s.io", []string{"leases"}, "list", "watch"),
		rule("", []string{"nodes/proxy"}, "get"),            // the kubelets' metrics, with theirs
		rule("", []string{"nodes"}, "get", "list", "patch"), // a case gives nodes labels
		rule("", []string{"nodes/status"}, "patch"),         // a case has a node count an extended resource
		rule("apiextensions.k8s.io", []string{"customresourcedefinitions"}, "list"),
		rule("authorization.k8s.io", []string{"subjectaccessreviews"}, "create"), // what the controllers' accounts may do
	}
}

// disrupting are the rights of cases needing --disruptive: they create nodes, or pods with a higher priority than
// others.
func disrupting() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("", []string{"nodes"}, "create", "delete"),
		rule("scheduling.k8s.io", []string{"priorityclasses"}, "create", "delete"),
	}
}

// PoolRequests are the cases' rights for pool status requests, an API off by default. A run without them skips these
// cases.
func PoolRequests() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule(dra, []string{"resourcepoolstatusrequests"}, "create", "get", "list", "update", "delete"),
		rule(dra, []string{"resourcepoolstatusrequests/status"}, "update"),
	}
}

// PodGroups are the cases' rights for pod groups, also an API off by default.
func PodGroups() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("scheduling.k8s.io", []string{"podgroups"}, "create", "get", "update", "delete"),
		rule("scheduling.k8s.io", []string{"podgroups/status"}, "update"),
	}
}

// agents are the rights to install, reach and remove the test driver.
func agents() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("coordination.k8s.io", []string{"leases"}, "create", "get", "update", "delete"), // one run at a time
		rule("", []string{"serviceaccounts"}, "create", "patch", "delete"),
		rule("rbac.authorization.k8s.io", []string{"clusterroles", "clusterrolebindings"}, "create", "get", "list", "patch", "delete"),
		rule("apps", []string{"daemonsets"}, "create", "get", "patch", "delete"),
		// Over a websocket it is a GET, requiring both verbs since v1.35.
		rule("", []string{"pods/portforward"}, "create", "get"),
	}
}

// objects are those of cases.
func objects() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("", []string{"namespaces"}, "create", "get", "list", "patch", "delete"),
		rule("", []string{"events"}, "list", "watch"),
		rule("", []string{"pods"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule("", []string{"pods/status"}, "update", "patch"),
		rule("", []string{"pods/ephemeralcontainers"}, "update"),
		rule("", []string{"pods/resize"}, "patch"),
		rule("", []string{"pods/log"}, "get"),
		rule("", []string{"pods/exec", "pods/binding"}, "create"),
		rule("", []string{"serviceaccounts/token"}, "create"),          // to read the components' metrics
		rule("scheduling.k8s.io", []string{"priorityclasses"}, "list"), // leftovers of an earlier run
		rule("apps", []string{"replicasets"}, "create", "delete"),
		rule("", []string{"resourcequotas"}, "create", "get", "watch", "delete"),
		rule("", []string{"resourcequotas/status"}, "update"), // where no controller begins a quota
		rule("admissionregistration.k8s.io", []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"}, "create", "list", "delete"),
		rule("flowcontrol.apiserver.k8s.io", []string{"flowschemas", "prioritylevelconfigurations"}, "create", "list", "delete"),
		rule("flowcontrol.apiserver.k8s.io", []string{"prioritylevelconfigurations"}, "patch"),
		rule(dra, []string{"deviceclasses", "devicetaintrules"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"devicetaintrules/status"}, "get", "update", "patch"),
		rule(dra, []string{"resourceclaims"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"resourceclaims/status"}, "get", "update", "patch"),
		rule(dra, []string{"resourceclaimtemplates"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"resourceslices"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
	}
}

// users are the rights to impersonate users with rejected requests, and to grant their rights. Servers since v1.36
// require a separate right for parts of a claim's status (KEP-4817).
func users() []rbacv1.PolicyRule {
	groups := rule("", []string{"groups"}, "impersonate")
	groups.ResourceNames = []string{"system:authenticated", "system:nodes", "system:serviceaccounts"}
	return []rbacv1.PolicyRule{
		rule("", []string{"users", "serviceaccounts"}, "impersonate"), groups,
		rule("authentication.k8s.io", []string{"userextras/authentication.kubernetes.io/node-name"}, "impersonate"),
		rule("rbac.authorization.k8s.io", []string{"roles", "rolebindings"}, "create", "delete"),
		rule(dra, []string{"resourceclaims/binding"}, "update", "patch"),
		rule(dra, []string{"resourceclaims/driver"}, "arbitrary-node:update", "arbitrary-node:patch", "associated-node:update", "associated-node:patch"),
	}
}

// Certifying are the rights used by a certification, and no others. The checks of a driver's plugin API and soaks need
// some of them.
func Certifying() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}},
		rule("coordination.k8s.io", []string{"leases"}, "create", "get", "list", "watch", "update", "delete"), // a soak with --keep gives its own back
		rule("", []string{"nodes/proxy"}, "get"),
		rule("", []string{"nodes"}, "get", "list"),
		rule("", []string{"namespaces"}, "create", "get", "list", "patch", "delete"),
		rule("", []string{"serviceaccounts"}, "create", "patch", "delete"),
		rule("rbac.authorization.k8s.io", []string{"clusterroles", "clusterrolebindings"}, "create", "get", "list", "patch", "delete"),
		rule("apps", []string{"daemonsets"}, "create", "get", "patch", "delete"),
		rule("", []string{"events"}, "list", "watch"),
		rule("", []string{"pods"}, "create", "get", "list", "watch", "delete", "deletecollection"),
		rule("", []string{"pods/log"}, "get"),
		rule("", []string{"pods/exec"}, "create"),
		rule("", []string{"pods/portforward"}, "create", "get"),
		rule(dra, []string{"deviceclasses"}, "create", "get", "list", "delete"),
		rule(dra, []string{"resourceclaims"}, "create", "get", "list", "watch", "patch", "delete", "deletecollection"),
		rule(dra, []string{"resourceclaims/status", "resourceclaims/binding"}, "update"),
		rule(dra, []string{"resourceclaims/driver"}, "associated-node:update"), // granted to the agents
		rule(dra, []string{"resourceclaimtemplates"}, "create", "get", "list", "delete"),
		rule(dra, []string{"resourceslices"}, "create", "list", "watch", "update", "delete", "deletecollection"),
		// Leftovers of an earlier run.
		rule(dra, []string{"devicetaintrules"}, "list"),
		rule("scheduling.k8s.io", []string{"priorityclasses"}, "list"),
		rule("admissionregistration.k8s.io", []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"}, "list"),
		rule("flowcontrol.apiserver.k8s.io", []string{"flowschemas", "prioritylevelconfigurations"}, "list"),
	}
}

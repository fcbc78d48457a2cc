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

// Rules are all that a run does in a cluster, whichever cases it runs, and nothing else;
// disruptive is whether it runs those that need the cluster alone or restart components, too.
// The cluster lets nobody give rights that they do not have, so those of the test driver
// and those that cases give to users are among them.
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

// looking is what a run looks at: versions, feature gates, nodes, what was there before.
func looking() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}, // the API server's feature gates
		rule("coordination.k8s.io", []string{"leases"}, "list"),         // how many API servers there are
		rule("", []string{"nodes/proxy"}, "get"),                        // the kubelets' metrics, with theirs
		rule("", []string{"nodes"}, "get", "list", "patch"),             // a case gives nodes labels
		rule("", []string{"nodes/status"}, "patch"),                     // a case has a node count an extended resource
		rule("apiextensions.k8s.io", []string{"customresourcedefinitions"}, "list"),
	}
}

// disrupting is what only those cases do for which a run needs --disruptive: they make nodes,
// or pods that are more important than others.
func disrupting() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("", []string{"nodes"}, "create", "delete"),
		rule("scheduling.k8s.io", []string{"priorityclasses"}, "create", "delete"),
	}
}

// PoolRequests is what cases do with requests for the status of pools, an API that is off by
// default. A run that lacks it leaves them out.
func PoolRequests() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule(dra, []string{"resourcepoolstatusrequests"}, "create", "get", "list", "update", "delete"),
		rule(dra, []string{"resourcepoolstatusrequests/status"}, "update"),
	}
}

// PodGroups is what cases do with groups of pods, an API that is off by default, too.
func PodGroups() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("scheduling.k8s.io", []string{"podgroups"}, "create", "get", "update", "delete"),
		rule("scheduling.k8s.io", []string{"podgroups/status"}, "update"),
	}
}

// agents is how the test driver is installed, reached and removed.
func agents() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("coordination.k8s.io", []string{"leases"}, "create", "get", "update", "delete"), // one run at a time
		rule("", []string{"serviceaccounts"}, "create", "patch", "delete"),
		rule("rbac.authorization.k8s.io", []string{"clusterroles", "clusterrolebindings"}, "create", "get", "list", "patch", "delete"),
		rule("apps", []string{"daemonsets"}, "create", "get", "patch", "delete"),
		// Over a websocket that is a GET, which takes both verbs since v1.35.
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
		rule("", []string{"serviceaccounts/token"}, "create"),          // with which the components' metrics are read
		rule("scheduling.k8s.io", []string{"priorityclasses"}, "list"), // what a run before has left
		rule("apps", []string{"replicasets"}, "create", "delete"),
		rule("", []string{"resourcequotas"}, "create", "get", "watch", "delete"),
		rule("", []string{"resourcequotas/status"}, "update"), // where no controller begins a quota
		rule("admissionregistration.k8s.io", []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"}, "create", "list", "delete"),
		rule(dra, []string{"deviceclasses", "devicetaintrules"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"devicetaintrules/status"}, "get", "update", "patch"),
		rule(dra, []string{"resourceclaims"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"resourceclaims/status"}, "get", "update", "patch"),
		rule(dra, []string{"resourceclaimtemplates"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
		rule(dra, []string{"resourceslices"}, "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"),
	}
}

// users are those in whose name cases send requests, to see what is refused to them, and
// what they are given for that. Servers since v1.36 want a right of its own for parts of a
// claim's status (KEP-4817).
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

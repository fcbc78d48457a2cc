package simdriver

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/objects"
)

// Rules are those of the manifest of dra-sim as a driver of its own
// (drivers/declarations/dra-sim/install.yaml).
func Rules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		objects.Rule("resource.k8s.io", "resourceclaims", "get"),
		objects.Rule("", "nodes", "get"),
		objects.Rule("resource.k8s.io", "resourceslices", "get", "list", "watch", "create", "update", "patch", "delete"),
	}
}

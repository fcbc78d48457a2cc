package objects

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

// Rule gives verbs on one resource.
func Rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

package harness

import (
	"github.com/onsi/ginkgo/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// allow gives the controller rights in the whole cluster, by a role of this name. Nobody
// may give rights that they do not have, so that a run with few of them is blocked here.
func (t *T) allow(name string, rules ...rbacv1.PolicyRule) {
	ginkgo.GinkgoHelper()
	t.allowTo(name, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: controllerUser, Namespace: t.Namespace}, rules...)
}

// allowTo gives somebody rights in the whole cluster, by a role of this name. Nobody may give
// rights that they do not have, so that a run with few of them is blocked here.
func (t *T) allowTo(name string, subject rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	ginkgo.GinkgoHelper()
	t.SetBlocked("the account of the run cannot give " + subject.Name + " its rights, which the failure names: run with an account that has them")
	t.Create(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{subject},
		})
	t.SetBlocked("")
}

// MayTell lets the controller say of devices of the case's driver what it likes, on
// whichever node they are.
func (c *Composed) MayTell() *Composed {
	ginkgo.GinkgoHelper()
	c.t.allow(c.t.Namespace+"-composable-status", mayTell(c.t.DriverName()))
	return c
}

// ControllerRules are those of the manifest of dra-composable-controller for a driver, and
// no others.
func ControllerRules(driver string) []rbacv1.PolicyRule {
	return append(controllerRules(), mayTell(driver))
}

// DriverRules are those of the manifest of dra-sim as a driver of its own
// (drivers/declarations/dra-sim/install.yaml).
func DriverRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("resource.k8s.io", "resourceclaims", "get"),
		rule("", "nodes", "get"),
		rule("resource.k8s.io", "resourceslices", "get", "list", "watch", "create", "update", "patch", "delete"),
	}
}

// mayTell is the right to say of a driver's devices what one likes, on whichever node they
// are.
func mayTell(driver string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims/driver"}, ResourceNames: []string{driver}, Verbs: []string{"arbitrary-node:update"}}
}

// controllerRules are those of the manifest of dra-composable-controller, but for the one
// that MayTell gives.
func controllerRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("", "nodes", "list", "watch"),
		rule("", "events", "create", "patch"),
		rule("resource.k8s.io", "resourceclaims", "list", "watch"),
		rule("resource.k8s.io", "resourceclaims/status", "update"),
		rule("resource.k8s.io", "resourceslices", "list", "watch", "create", "update", "delete"),
		rule("resource.k8s.io", "devicetaintrules", "list", "watch", "create", "delete"),
	}
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

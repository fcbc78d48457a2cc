package cases

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// APIVersions makes, reads and writes objects in all versions of the API. API servers
// up to v1.34 store them as v1beta2, newer ones as v1 (k8s.io/kubernetes v1.34.4 and
// v1.35.8, pkg/apis/resource/install/install.go).
var APIVersions = Case{
	Meta: spec.Meta{
		ID: "upgrade/api-versions",
		Checks: "Claims and templates that were made as v1beta1, v1beta2 or v1 say the same in each of these after every step, as do slices and classes, " +
			"can be written in each, and a claim that is made anew in any of them is served.",
		Requires: []spec.RequirementID{"kep-4381/same-in-all-versions"},
		Needs:    spec.Needs{Profile: profiles.FourDevices(), APIs: []string{"v1beta1", "v1beta2"}},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		for _, version := range versions() {
			createTemplate(t, version)
			runVersion(t, version, version)
			n.note(t, version, version)
		}
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		for _, name := range versions() {
			relabel(t, name, fmt.Sprintf("round-%d", n.Round))
			sameInAll(t, "resourceclaims", t.Namespace, name)
			sameInAll(t, "resourceclaimtemplates", t.Namespace, name)
		}
		sameInAll(t, "deviceclasses", "", t.Driver.Name)
		for _, slice := range t.Driver.Slices() {
			sameInAll(t, "resourceslices", "", slice)
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if n.Round++; !concerns(t, step) {
			return
		}
		name := fmt.Sprintf("anew-%d", n.Round)
		runVersion(t, versions()[n.Round%3], name)
		end(t, name)
	},
	Gone: func(t *harness.T, n *Notes) {
		for name := range n.Pods {
			end(t, name)
		}
	},
}

func versions() []string { return []string{"v1beta1", "v1beta2", "v1"} }

// claimSpec asks for one device of the case's class.
func claimSpec(t *harness.T, version string) object {
	request := object{"deviceClassName": t.Driver.Name}
	if version != "v1beta1" {
		request = object{"exactly": request}
	}
	request["name"] = "req"
	return object{"devices": object{"requests": []any{request}}}
}

// runVersion makes a claim in a version, and a pod of the same name that uses it.
func runVersion(t *harness.T, version, name string) {
	inVersion(t, version, "resourceclaims", t.Namespace).create(object{
		"kind": "ResourceClaim", "metadata": object{"name": name}, "spec": claimSpec(t, version),
	})
	t.RunPod(objects.Pod(name, t.Image, name))
}

func createTemplate(t *harness.T, version string) {
	inVersion(t, version, "resourceclaimtemplates", t.Namespace).create(object{
		"kind": "ResourceClaimTemplate", "metadata": object{"name": version}, "spec": object{"spec": claimSpec(t, version)},
	})
}

// relabel writes a claim, without another change, in the version in which it was made.
func relabel(t *harness.T, name, value string) {
	claims := inVersion(t, name, "resourceclaims", t.Namespace)
	claim := claims.get(name)
	claim["metadata"].(object)["labels"] = object{"dra-conformance.github.io/round": value}
	claims.update(name, claim)
}

// sameInAll checks that an object says the same in all versions.
func sameInAll(t *harness.T, resource, namespace, name string) {
	want := flat(inVersion(t, "v1", resource, namespace).get(name))
	for _, version := range versions() {
		t.Expect(flat(inVersion(t, version, resource, namespace).get(name))).To(gomega.BeComparableTo(want), "%s %s as %s, compared with v1", resource, name, version)
	}
}

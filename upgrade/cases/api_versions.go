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

package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// APIVersions creates, reads and writes objects in all versions of the API. API servers up to v1.34
// store them as v1beta2, newer ones as v1 (k8s.io/kubernetes v1.34.4 and v1.35.8,
// pkg/apis/resource/install/install.go). The objects use all fields available with v1.34's default
// gates.
var APIVersions = Case{
	Meta: spec.Meta{
		ID:       "upgrade/api-versions",
		Checks:   "After every step, objects of each API version can be read and written unchanged in all versions.",
		Requires: []spec.RequirementID{"kep-4381/same-in-all-versions"},
		Needs:    spec.Needs{Profile: profiles.Devices(8), APIs: []string{"v1beta2"}},
	},
	Before: func(t *harness.T, n *Notes) {
		createClassWithAll(t)
		for _, version := range versions(t.Target()) {
			createTemplate(t, version)
			runVersion(t, version, version)
			n.note(t, version, version)
		}
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		n.unchanged(t)
		for _, name := range slices.Sorted(maps.Keys(n.Claims)) {
			relabel(t, name, fmt.Sprintf("round-%d", n.Round))
			said := sameInAll(t, "resourceclaims", t.Namespace, name)
			t.Expect(said["spec"]).To(gomega.BeComparableTo(written(t, claimSpec(t, "v1"))), "spec of claim %s, compared with what was written", name)
			said = sameInAll(t, "resourceclaimtemplates", t.Namespace, name)
			t.Expect(said["spec"]).To(gomega.BeComparableTo(written(t, templateSpec(t, "v1"))), "spec of template %s, compared with what was written", name)
		}
		said := sameInAll(t, "deviceclasses", "", t.DriverName())
		t.Expect(said["spec"]).To(gomega.BeComparableTo(written(t, classSpec(t))), "spec of the class, compared with what was written")
		if step.Place.Component == path.Kubelet {
			return // a starting one deletes the slice, and the driver publishes it again
		}
		simdriver.Of(t).AwaitSlices(1)
		said = sameInAll(t, "resourceslices", "", simdriver.Of(t).Slices()[0])
		t.Expect(said["spec"].(object)["devices"]).To(gomega.BeComparableTo(written(t, profiles.Devices(8).Pools[0].Devices)), "devices of the slice, compared with what was published")
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if n.Round++; !concerns(t, step) {
			return
		}
		name := fmt.Sprintf("anew-%d", n.Round)
		served := versions(t.Target())
		runVersion(t, served[n.Round%len(served)], name)
		end(t, name)
	},
	Gone: func(t *harness.T, n *Notes) {
		for name := range n.Pods {
			end(t, name)
		}
	},
}

// versions returns the versions of the API that must be served: those at the start, v1beta1 only by API servers
// up to 1.37. Newer ones still read objects stored as v1beta1.
func versions(target spec.Target) []string {
	server, err := version.ParseGeneric(target.Kubernetes)
	removed := err == nil && server.AtLeast(version.MustParseGeneric("1.38"))
	return slices.DeleteFunc([]string{"v1beta1", "v1beta2", "v1"}, func(v string) bool {
		return v == "v1beta1" && removed || !slices.Contains(target.ResourceAPIs, v)
	})
}

// claimSpec requests two devices of the case's class and of one model, with all fields of a claim.
func claimSpec(t *harness.T, version string) object {
	wanted := func() object {
		return object{
			"deviceClassName": t.DriverName(), "allocationMode": "ExactCount", "count": 1,
			"selectors": []any{object{"cel": object{"expression": "device.attributes['" + t.DriverName() + "']." + profiles.Model + " == 'a'"}}},
		}
	}
	request, first := wanted(), wanted()
	if version != "v1beta1" {
		request = object{"exactly": request}
	}
	request["name"], first["name"] = "req", "sub"
	return object{"devices": object{
		"requests":    []any{request, object{"name": "list", "firstAvailable": []any{first}}},
		"constraints": []any{object{"requests": []any{"req", "list"}, "matchAttribute": t.DriverName() + "/" + profiles.Model}},
		"config":      []any{object{"requests": []any{"req"}, "opaque": parameters(t)}},
	}}
}

func templateSpec(t *harness.T, version string) object {
	return object{"metadata": object{"labels": object{"of": "template"}, "annotations": object{"of": "template"}}, "spec": claimSpec(t, version)}
}

// classSpec is the part of a class common to all versions.
func classSpec(t *harness.T) object {
	return object{
		"selectors": []any{object{"cel": object{"expression": "device.driver == '" + t.DriverName() + "'"}}},
		"config":    []any{object{"opaque": parameters(t)}},
	}
}

// parameters are the test driver's.
func parameters(t *harness.T) object {
	return object{"driver": t.DriverName(), "parameters": object{"key": "value"}}
}

// createClassWithAll creates the case's class and sets the other fields in the oldest version.
func createClassWithAll(t *harness.T) {
	t.CreateClass(nil)
	classes := inVersion(t, versions(t.Target())[0], "deviceclasses", "")
	class := classes.get(t.DriverName())
	class["spec"] = classSpec(t)
	classes.update(t.DriverName(), class)
}

// written returns a value as read back and flattened.
func written(t *harness.T, value any) any {
	content, err := json.Marshal(value)
	t.NoError(err, "write JSON")
	var read any
	t.NoError(json.Unmarshal(content, &read), "read JSON")
	return raise(read)
}

// runVersion creates a claim in a version, and a pod of the same name using it.
func runVersion(t *harness.T, version, name string) {
	inVersion(t, version, "resourceclaims", t.Namespace).create(object{
		"kind": "ResourceClaim", "metadata": object{"name": name}, "spec": claimSpec(t, version),
	})
	t.RunPod(objects.Pod(name, t.Image, name))
}

func createTemplate(t *harness.T, version string) {
	inVersion(t, version, "resourceclaimtemplates", t.Namespace).create(object{
		"kind": "ResourceClaimTemplate", "metadata": object{"name": version}, "spec": templateSpec(t, version),
	})
}

// relabel writes a claim in the version of its creation, or else in v1, changing only a label.
func relabel(t *harness.T, name, value string) {
	in := "v1"
	if slices.Contains(versions(t.Target()), name) {
		in = name
	}
	claims := inVersion(t, in, "resourceclaims", t.Namespace)
	claim := claims.get(name)
	claim["metadata"].(object)["labels"] = object{"dra-conformance.github.io/round": value}
	claims.update(name, claim)
}

// sameInAll checks that an object is the same in all versions, and returns it.
func sameInAll(t *harness.T, resource, namespace, name string) object {
	want := flat(inVersion(t, "v1", resource, namespace).get(name))
	for _, version := range versions(t.Target()) {
		t.Expect(flat(inVersion(t, version, resource, namespace).get(name))).To(gomega.BeComparableTo(want), "%s %s as %s, compared with v1", resource, name, version)
	}
	return want
}

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
	"encoding/json"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Versions reads and writes objects with all fields set in all versions of the API.
var Versions = harness.Case{Meta: spec.Meta{
	ID:       "api/versions",
	Checks:   "A claim, a template, a class and a slice with all default fields lose nothing in any beta version.",
	Requires: []spec.RequirementID{"kep-4381/same-in-all-versions"},
	Needs: spec.Needs{NoNode: true, APIs: []string{"v1beta2"}, Features: []spec.Feature{
		spec.PrioritizedList, spec.DeviceTaints, spec.ConsumableCapacity, spec.PartitionableDevices, spec.BindingConditions, spec.ExtendedResource, spec.DeviceStatus,
	}},
}, Run: func(t *harness.T) {
	older := betas(t.Target().ResourceAPIs)
	claim, class, slice, counters := fullClaim(), fullClass(), fullSlice(), fullCounters()
	template := &resourceapi.ResourceClaimTemplate{Spec: resourceapi.ResourceClaimTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}}, Spec: claim.Spec,
	}}
	for _, o := range []struct {
		resource string
		object   harness.Object
		spec     any
	}{
		{"resourceclaims", claim, claim.Spec}, {"resourceclaimtemplates", template, template.Spec}, {"deviceclasses", class, class.Spec},
		{"resourceslices", slice, slice.Spec}, {"resourceslices", counters, counters.Spec},
	} {
		o.object.SetName(t.Namespace)
		if o.object == harness.Object(counters) {
			o.object.SetName(t.Namespace + "-counters")
		}
		t.Create(o.object)
		versioned{t, o.resource, o.object, "spec", o.spec}.losesNothing(older...)
	}

	t.Step("allocate the claim")
	allocated, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), claim.Name, metav1.GetOptions{})
	t.NoError(err, "get the claim")
	allocated.Status = fullStatus()
	_, err = t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), allocated, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	versioned{t, "resourceclaims", claim, "status", fullStatus()}.losesNothing(older...)
}}

// betas returns the beta versions among the served ones. Kubernetes 1.38 has no v1beta1 any more.
func betas(served []string) []string {
	return slices.DeleteFunc(slices.Clone(served), func(v string) bool { return !strings.HasPrefix(v, "v1beta") })
}

// versioned is an object with all fields of a part of it, its spec or its status.
type versioned struct {
	t        *harness.T
	resource string
	object   harness.Object
	part     string
	want     any
}

// losesNothing writes the object in each of the older versions, and in v1, as read there.
func (o versioned) losesNothing(older ...string) {
	text, err := json.Marshal(map[string]any{o.part: o.want})
	o.t.NoError(err, "encode the %s", o.part)
	want := o.partOf(text)
	o.t.Expect(o.partOf(o.read("v1"))).To(gomega.BeComparableTo(want), "the %s of %s written with all fields", o.part, o.resource)
	for _, version := range append(slices.Clone(older), "v1") {
		o.t.Step("write %s %s as %s, as it is read", o.resource, o.object.GetName(), version)
		// Controllers may write the object, too.
		o.t.NoError(retry.RetryOnConflict(retry.DefaultRetry, func() error {
			read := o.read(version)
			if o.part == "status" { // equal in all versions, unlike specs
				o.t.Expect(o.partOf(read)).To(gomega.BeComparableTo(want), "the status of %s read as %s", o.resource, version)
			}
			return o.write(version, read)
		}), "write %s as %s", o.resource, version)
		o.t.Expect(o.partOf(o.read("v1"))).To(gomega.BeComparableTo(want), "the %s of %s after it was written as %s", o.part, o.resource, version)
	}
}

// path returns the path of the object in a version.
func (o versioned) path(version string) string {
	path := "/apis/resource.k8s.io/" + version + "/"
	if namespace := o.object.GetNamespace(); namespace != "" {
		path += "namespaces/" + namespace + "/"
	}
	return path + o.resource + "/" + o.object.GetName()
}

func (o versioned) read(version string) []byte {
	raw, err := o.t.Client.ResourceV1().RESTClient().Get().AbsPath(o.path(version)).Do(o.t.Context()).Raw()
	o.t.NoError(err, "read %s as %s", o.resource, version)
	return raw
}

func (o versioned) write(version string, body []byte) error {
	path := o.path(version)
	if o.part == "status" {
		path += "/status"
	}
	return o.t.Client.ResourceV1().RESTClient().Put().AbsPath(path).Param("fieldValidation", metav1.FieldValidationStrict).
		Body(body).Do(o.t.Context()).Error()
}

// partOf returns the part of an object in JSON.
func (o versioned) partOf(object []byte) any {
	var parts map[string]any
	o.t.NoError(json.Unmarshal(object, &parts), "read the object")
	return parts[o.part]
}

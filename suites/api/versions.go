package api

import (
	"encoding/json"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Versions reads and writes objects with all fields set in all versions of the API.
var Versions = harness.Case{Meta: spec.Meta{
	ID: "api/versions",
	Checks: "A claim, a template, a class and a slice with every field set that is there by default lose nothing when they are read and written " +
		"in each beta version.",
	Requires: []spec.RequirementID{"kep-4381/same-in-all-versions"},
	Needs: spec.Needs{NoNode: true, APIs: []string{"v1beta1", "v1beta2"}, Features: []spec.Feature{
		spec.PrioritizedList, spec.DeviceTaints, spec.ConsumableCapacity, spec.PartitionableDevices, spec.BindingConditions, spec.ExtendedResource,
	}},
}, Run: func(t *harness.T) {
	claim, class, slice, counters := fullClaim(), fullClass(), fullSlice(), fullCounters()
	template := &resourceapi.ResourceClaimTemplate{Spec: resourceapi.ResourceClaimTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}}, Spec: claim.Spec,
	}}
	for _, o := range []struct {
		resource string
		object   k8s.Object
		spec     any
	}{
		{"resourceclaims", claim, claim.Spec}, {"resourceclaimtemplates", template, template.Spec}, {"deviceclasses", class, class.Spec},
		{"resourceslices", slice, slice.Spec}, {"resourceslices", counters, counters.Spec},
	} {
		want, err := json.Marshal(map[string]any{"spec": o.spec})
		t.NoError(err, "encode the spec")
		o.object.SetName(t.Namespace)
		if o.object == k8s.Object(counters) {
			o.object.SetName(t.Namespace + "-counters")
		}
		t.Create(o.object)
		rest, path := t.Client.ResourceV1().RESTClient(), "/apis/resource.k8s.io/%s/"
		if o.object.GetNamespace() != "" {
			path += "namespaces/" + t.Namespace + "/"
		}
		path += o.resource
		read := func(version string) []byte {
			raw, err := rest.Get().AbsPath(fmt.Sprintf(path, version), o.object.GetName()).Do(t.Context()).Raw()
			t.NoError(err, "read %s as %s", o.resource, version)
			return raw
		}
		t.Expect(specOf(t, read("v1"))).To(gomega.BeComparableTo(specOf(t, want)), "the spec of %s that was created with all fields", o.resource)
		for _, version := range []string{"v1beta1", "v1beta2", "v1"} {
			t.Step("write %s %s as %s, as it is read", o.resource, o.object.GetName(), version)
			err := rest.Put().AbsPath(fmt.Sprintf(path, version), o.object.GetName()).Param("fieldValidation", metav1.FieldValidationStrict).
				Body(read(version)).Do(t.Context()).Error()
			t.NoError(err, "write %s as %s", o.resource, version)
			t.Expect(specOf(t, read("v1"))).To(gomega.BeComparableTo(specOf(t, want)), "the spec of %s after it was written as %s", o.resource, version)
		}
	}
}}

// specOf is the spec of an object in JSON.
func specOf(t *harness.T, object []byte) any {
	var o struct {
		Spec any `json:"spec"`
	}
	t.NoError(json.Unmarshal(object, &o), "read the object")
	return o.Spec
}

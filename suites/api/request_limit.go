package api

import (
	"strconv"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RequestLimit makes claims with as many requests as there may be, and one more.
var RequestLimit = harness.Case{Meta: spec.Meta{
	ID:       "api/request-limit",
	Checks:   "A claim, and a template, with 32 requests is accepted; with 33 it is refused with the field named.",
	Requires: []spec.RequirementID{"kep-4381/claim-list-limits"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	most := objects.Claim("most", requests(resourceapi.DeviceRequestsMaxSize)...)
	t.Create(most, objects.Template("most", most))

	t.Step("create a claim and a template with one request more")
	claim := objects.Claim("too-many", requests(resourceapi.DeviceRequestsMaxSize+1)...)
	template := objects.Template("too-many", claim)
	_, claimErr := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), claim, metav1.CreateOptions{})
	_, templateErr := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace).Create(t.Context(), template, metav1.CreateOptions{})

	t.Expect(notRefused(claimErr, "spec.devices.requests", "")).To(gomega.BeEmpty(), "the claim with 33 requests")
	t.Expect(notRefused(templateErr, "spec.spec.devices.requests", "")).To(gomega.BeEmpty(), "the template with 33 requests")
}}

func requests(n int) []resourceapi.DeviceRequest {
	all := make([]resourceapi.DeviceRequest, 0, n)
	for i := range n {
		all = append(all, objects.Request("req-"+strconv.Itoa(i), "class"))
	}
	return all
}

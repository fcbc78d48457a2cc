package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// configForAllRequests is about: kubernetes-sigs/dra-driver-cpu#269, kubernetes/kubernetes#139731.
var configForAllRequests = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-all-requests",
	Checks:   "A configuration without requests applies to all requests.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "kubernetes-sigs/dra-driver-cpu#269, kubernetes/kubernetes#139731", Run: func(t *T) {
	device := t.Devices(1)[0]
	config := t.visible(device)
	want := Want{Device: device, Request: "req"}
	named := t.content("req", []Config{{Requests: []string{"req"}, Parameters: config}}, want)
	if got := t.content("req", []Config{{Parameters: config}}, want); got != named {
		t.Failf("configuration %s gives %s where it names the request, and %s where it names none", config, named, got)
	}
}}

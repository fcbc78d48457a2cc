package sanity

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// baseSpecsLost is about: kubernetes-sigs/dra-driver-nvidia-gpu#1144.
var baseSpecsLost = Check{Meta: spec.Meta{
	ID: "sanity/base-specs-lost",
	Checks: "When CDI files that serve several claims have been removed below a driver that knows them, prepare makes them again or says that " +
		"it cannot.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1144", Once: true, Run: func(t *T) {
	if t.Restart == nil {
		t.NotApplicablef("removes files that other claims use, too, until the driver has been restarted: say how (--restart)")
	}
	device := t.Devices(1)[0]
	first := t.One(device)
	answer := t.Prepare(first, "a claim")
	t.Unprepare(first, "the claim")
	t.Delete(first)
	// A driver that starts makes what it needs.
	defer t.restart(func() {})
	state := t.CDI()
	for path, content := range state.files {
		if ofKinds(content, ids(answer)) {
			t.need(t.RemoveSpec(t.ctx, path), "remove a CDI file")
		}
	}
	answer, why := t.Try(t.One(device), "a claim after CDI files were removed")
	if why != "" {
		t.Notef("%s", why)
		return
	}
	t.expect(t.CDI().unresolved(ids(answer)), "prepare said success after CDI files were removed")
}}

// ofKinds is whether a CDI file describes devices of the kinds that these have.
func ofKinds(content []byte, devices []string) bool {
	var file struct {
		Kind string `json:"kind"`
	}
	// What cannot be read describes nothing.
	return yaml.Unmarshal(content, &file) == nil && file.Kind != "" &&
		slices.ContainsFunc(devices, func(id string) bool { return strings.HasPrefix(id, file.Kind+"=") })
}

package sanity

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// cdiWriteFails is about: kubernetes-sigs/dra-driver-cpu#169.
var cdiWriteFails = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-write-fails",
	Checks:   "While the CDI spec of a claim cannot be written, prepare says so; and when it says success later, the spec is there.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-cpu#169", Run: func(t *T) {
	obstructer, ok := t.Subject.(Obstructer)
	if !ok {
		t.NotApplicablef("needs to put something in the place of a CDI file, which cannot be done from here")
	}
	device := t.Devices(1)[0]
	before := t.CDI()
	first := t.One(device)
	t.Prepare(first, "a claim")
	made := t.CDI().made(before, first)
	t.Unprepare(first, "the claim")
	t.Delete(first)
	second := t.One(device)
	places := predicted(made, first, second)
	if len(places) == 0 {
		t.NotApplicablef("the names of CDI files do not have the claim in them, so that it is not known which is written next")
	}
	answer, err := t.obstructed(obstructer, places, second)
	if err == nil && len(ids(answer)) > 0 {
		t.expect(t.CDI().unresolved(ids(answer)), "prepare said success while "+strings.Join(places, ", ")+" could not be written")
	}
	answer = t.Prepare(second, "again, when the CDI spec can be written")
	t.expect(t.CDI().unresolved(ids(answer)), "prepare said success, after the CDI spec could not be written at first")
}}

// predicted are the files of the second claim, from those of the first.
func predicted(made []string, first, second *resourceapi.ResourceClaim) []string {
	var places []string
	for _, path := range made {
		if name := filepath.Base(path); strings.Contains(name, string(first.UID)) {
			places = append(places, filepath.Join(filepath.Dir(path), strings.ReplaceAll(name, string(first.UID), string(second.UID))))
		}
	}
	return places
}

// obstructed prepares a claim while files cannot be written.
func (t *T) obstructed(obstructer Obstructer, places []string, claim *resourceapi.ResourceClaim) (*Answer, error) {
	var removes []func(context.Context) error
	removeAll := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closing)
		defer cancel()
		var errs []error
		for _, remove := range removes {
			errs = append(errs, remove(ctx))
		}
		removes = nil
		return errors.Join(errs...)
	}
	defer func() { _ = removeAll() }()
	for _, place := range places {
		remove, err := obstructer.Obstruct(t.ctx, place)
		t.need(err, "keep a CDI file from being written")
		removes = append(removes, remove)
	}
	answer, err := t.prepareOne(t.ctx, claim)
	t.need(removeAll(), "let a CDI file be written again")
	return answer, err
}

package spec

import (
	"math"
	"slices"
	"strings"
)

const (
	// FeatureLabel starts the labels for the features that a case needs.
	FeatureLabel = "Feature:"
	// ConformanceLabel is for cases that any cluster must pass with nothing but what is on
	// by default.
	ConformanceLabel = "Conformance"
)

// Labels are the labels of a case, made from its data: its area, Conformance, "Feature:X" for
// each feature that it needs, "KEP-N" for each enhancement whose promises it checks, Slow where it
// waits out a delay of Kubernetes' own, Serial where nothing else may run beside it, and Disruptive
// where it restarts components or nodes.
func (m Meta) Labels() []string {
	labels := []string{m.Area()}
	if m.conformance() {
		labels = append(labels, ConformanceLabel)
	}
	for _, f := range m.Needs.Features {
		labels = append(labels, FeatureLabel+string(f))
	}
	labels = append(labels, m.keps()...)
	if m.WaitsFor != "" {
		labels = append(labels, "Slow")
	}
	if m.SerialBecause != "" {
		labels = append(labels, "Serial")
	}
	if m.Needs.Disruption || m.Needs.Restarts != "" {
		labels = append(labels, "Disruptive")
	}
	return labels
}

// conformance is whether any cluster of a release that has the case's features by default
// must pass it: it needs no other API and no program of this project, restarts nothing,
// looks into no component, counts nothing of others, and no release is known to fail it.
func (m Meta) conformance() bool {
	n := m.Needs
	offByDefault := func(f Feature) bool {
		newest, known := f.Stage(math.MaxUint)
		return !known || !newest.On
	}
	return m.KnownIssue == nil && !slices.ContainsFunc(n.Features, offByDefault) && len(n.APIs) == 0 && !n.PodGroups && len(n.Metrics) == 0 &&
		len(n.Off) == 0 && !n.Disruption && n.Restarts == "" && !n.Installed && !n.Composable && !n.WhatIf && !n.Classic && !n.Alone && n.BindingTimeout == 0 && !n.DefaultsProfile
}

// keps are the enhancements whose promises the case checks, as "KEP-4381".
func (m Meta) keps() []string {
	var keps []string
	for _, r := range m.Requires {
		if number, ok := strings.CutPrefix(string(r), "kep-"); ok {
			number, _, _ = strings.Cut(number, "/")
			keps = append(keps, "KEP-"+number)
		}
	}
	slices.Sort(keps)
	return slices.Compact(keps)
}

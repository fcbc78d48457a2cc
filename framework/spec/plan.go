package spec

import "slices"

// SkipCode is the machine-readable reason why a case does not run.
type SkipCode string

// The reasons for which a plan leaves a case out.
const (
	// SkipFeature: the target does not serve a feature that the case needs.
	SkipFeature SkipCode = "FeatureNotServed"
	// SkipFeatureUnseen: whether the target serves a feature that the case needs
	// cannot be seen. The case is not run, and the run is incomplete for it.
	SkipFeatureUnseen SkipCode = "FeatureUnseen"
	// SkipVersion: the target is older than what the case is about.
	SkipVersion SkipCode = "VersionTooOld"
	// SkipAPI: the target does not serve a version of resource.k8s.io.
	SkipAPI SkipCode = "APINotServed"
	// SkipNodes: the target has fewer schedulable nodes than the case needs.
	SkipNodes SkipCode = "TooFewNodes"
	// SkipBindingTimeout: the scheduler waits longer for binding conditions than
	// the case can, or it cannot be seen how long.
	SkipBindingTimeout SkipCode = "BindingTimeoutTooLong"
	// SkipDefaultsProfile: it is not known that the scheduler has a profile in which nothing
	// is set.
	SkipDefaultsProfile SkipCode = "NoDefaultsProfile"
	// SkipMetrics: a component whose metrics the case reads runs in no pod that can be seen.
	SkipMetrics SkipCode = "MetricsUnseen"
	// SkipDisruption: the case restarts components or nodes, and nobody has allowed that.
	SkipDisruption SkipCode = "DisruptionNotAllowed"
	// SkipShared: the case compares numbers of the whole cluster, which others may use.
	SkipShared SkipCode = "ClusterShared"
	// SkipDriver: the driver that is tested cannot be used for what the case does.
	SkipDriver SkipCode = "OtherDriverNeeded"
	// SkipDriverFeature: the driver that is tested lacks a feature.
	SkipDriverFeature SkipCode = "DriverFeatureMissing"
	// SkipHook: the vendor of the driver that is tested has declared no command for it, or
	// it is one that may not be run here.
	SkipHook SkipCode = "HookMissing"
	// SkipDevices: it has too few free devices. The run is incomplete for it.
	SkipDevices SkipCode = "TooFewDevices"
	// SkipPath: an upgrade does not do what the case is about.
	SkipPath SkipCode = "NotOnThePath"
)

// Skip says why a planned case does not run.
type Skip struct {
	Code SkipCode `json:"code"`
	Text string   `json:"text"`
}

// Entry is one case in a plan.
type Entry struct {
	Meta Meta `json:"meta"`
	// Skip is nil for cases that run.
	Skip *Skip `json:"skip,omitempty"`
}

// Plan is what a run is going to do, in order.
type Plan struct {
	Target  Target  `json:"target"`
	Entries []Entry `json:"entries"`
}

// RunsOnNodes tells whether an entry that is not skipped needs a node whose kubelet works.
func (p Plan) RunsOnNodes() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool {
		return e.Skip == nil && e.Meta.Needs.LeastNodes() > 0 && !e.Meta.Needs.NoKubelet
	})
}

// RunsComposable tells whether an entry that is not skipped has a fabric of devices.
func (p Plan) RunsComposable() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && e.Meta.Needs.Composable })
}

// RunsWhatIf tells whether an entry that is not skipped asks dra-whatif.
func (p Plan) RunsWhatIf() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && e.Meta.Needs.WhatIf })
}

// RunsClassic tells whether an entry that is not skipped has classic DRA.
func (p Plan) RunsClassic() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && e.Meta.Needs.Classic })
}

// RunsWith tells whether an entry that is not skipped needs a feature.
func (p Plan) RunsWith(f Feature) bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && slices.Contains(e.Meta.Needs.Features, f) })
}

// Runs counts the entries that are not skipped.
func (p Plan) Runs() int {
	n := 0
	for _, e := range p.Entries {
		if e.Skip == nil {
			n++
		}
	}
	return n
}

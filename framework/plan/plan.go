package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Build plans a run: the cases that the filter keeps, in their order, each with
// the reason why it does not run where the target lacks what it needs. Errors
// are bad data in cases and a bad filter, all problems at once.
func Build(metas []spec.Meta, target spec.Target, filter Filter) (spec.Plan, error) {
	selected, err := Select(metas, filter)
	if err := errors.Join(Validate(metas), err); err != nil {
		return spec.Plan{}, err
	}
	p := spec.Plan{Target: target}
	for _, m := range selected {
		p.Entries = append(p.Entries, spec.Entry{Meta: m, Skip: skip(m.Needs, target)})
	}
	return p, nil
}

// Validate returns all problems of the cases' data, among them IDs used twice.
func Validate(metas []spec.Meta) error {
	var errs []error
	seen := map[string]int{}
	for _, m := range metas {
		errs = append(errs, m.Validate())
		if seen[m.ID]++; seen[m.ID] == 2 {
			errs = append(errs, fmt.Errorf("case %q: the id is used more than once", m.ID))
		}
	}
	return errors.Join(errs...)
}

func skip(needs spec.Needs, target spec.Target) *spec.Skip {
	serving := target
	if needs.NoNode {
		serving.Nodes = nil // kubelets take no part in it
	}
	for _, f := range needs.Features {
		if s := SkipFeature(f, serving); s != nil {
			return s
		}
	}
	for _, f := range needs.Off {
		if s := skipOn(f, target); s != nil {
			return s
		}
	}
	if s := SkipVersion(needs, target); s != nil {
		return s
	}
	for _, v := range needs.APIs {
		if !slices.Contains(target.ResourceAPIs, v) {
			return &spec.Skip{
				Code: spec.SkipAPI,
				Text: fmt.Sprintf("needs resource.k8s.io/%s, the cluster serves %s", v, strings.Join(target.ResourceAPIs, ", ")),
			}
		}
	}
	if needs.PodGroups && !target.PodGroups {
		return &spec.Skip{Code: spec.SkipAPI, Text: "needs groups of pods, scheduling.k8s.io/v1beta1, which the cluster does not serve"}
	}
	if needs.Disruption && !target.Disruptable {
		return &spec.Skip{Code: spec.SkipDisruption, Text: "restarts components of the cluster, which --disruptive allows"}
	}
	if s := skipRestart(needs, target); s != nil {
		return s
	}
	if target.Subject != nil {
		return skipSubject(needs, *target.Subject)
	}
	if needs.Installed {
		return &spec.Skip{Code: spec.SkipDriver, Text: "needs a driver as its vendor has installed it, which is for `dratest certify`"}
	}
	if needs.Alone && !target.Disruptable {
		return &spec.Skip{Code: spec.SkipShared, Text: "compares numbers of the whole cluster, which others may use; --disruptive says that nobody does"}
	}
	nodes := needs.LeastNodes()
	if have := len(target.NodesFor(needs)); have < nodes {
		simulated := ""
		if n := target.Simulated(); n > 0 && !needs.NoKubelet {
			simulated = fmt.Sprintf(" beside %d simulated one(s), which run no containers", n)
		}
		return &spec.Skip{
			Code: spec.SkipNodes,
			Text: fmt.Sprintf("needs %d schedulable Linux node(s), the cluster has %d%s", nodes, have, simulated),
		}
	}
	for _, component := range needs.Metrics {
		if _, seen := target.Components[component]; !seen {
			return &spec.Skip{Code: spec.SkipMetrics, Text: fmt.Sprintf("reads the metrics of %s, which runs in no pod that can be seen", component)}
		}
	}
	if needs.DefaultsProfile && target.DefaultsProfile == "" {
		return &spec.Skip{
			Code: spec.SkipDefaultsProfile,
			Text: fmt.Sprintf("needs a profile of the scheduler in which nothing is set, and no pod of the scheduler names one in %s (clusters that dratest makes have one)", spec.EnvDefaultsProfile),
		}
	}
	return skipBindingTimeout(needs, target)
}

// SkipVersion says why the version of a target is too old, nil if it is not. A case whose pods
// run needs kubelets of that version, too, as it does not choose among them.
func SkipVersion(needs spec.Needs, target spec.Target) *spec.Skip {
	if needs.Since == "" {
		return nil
	}
	since := version.MustParseGeneric(needs.Since)
	have, err := version.ParseGeneric(target.Kubernetes)
	if err != nil || !have.AtLeast(since) {
		return &spec.Skip{Code: spec.SkipVersion, Text: fmt.Sprintf("needs Kubernetes %s or newer, the cluster has %s", needs.Since, target.Kubernetes)}
	}
	if needs.NoNode || needs.NoKubelet {
		return nil
	}
	workers := target.Workers()
	for _, c := range target.ComponentsOf(spec.Kubelet) {
		have, err := version.ParseGeneric(c.Version)
		if slices.Contains(workers, c.Node) && err == nil && !have.AtLeast(since) {
			return &spec.Skip{Code: spec.SkipVersion, Text: fmt.Sprintf("needs Kubernetes %s or newer, the kubelet on %s has %s", needs.Since, c.Node, c.Version)}
		}
	}
	return nil
}

// skipSubject is for cases that a driver which is tested as it was found does not serve.
func skipSubject(needs spec.Needs, s spec.Subject) *spec.Skip {
	if needs.Devices == 0 {
		return &spec.Skip{Code: spec.SkipDriver, Text: "needs the test driver dra-sim, which can be told what to do"}
	}
	if needs.Installed && s.Namespace == "" {
		return &spec.Skip{Code: spec.SkipDriver, Text: "needs the driver's own pods: deploy.daemonSet is not declared, or not there"}
	}
	for _, f := range needs.DriverFeatures {
		if !s.Features[f] {
			return &spec.Skip{Code: spec.SkipDriverFeature, Text: fmt.Sprintf("needs a driver with feature %s", f)}
		}
	}
	for _, f := range needs.NoDriverFeatures {
		if s.Features[f] {
			return &spec.Skip{Code: spec.SkipDriverFeature, Text: fmt.Sprintf("is for drivers without feature %s", f)}
		}
	}
	for _, h := range needs.Hooks {
		if _, declared := s.Hooks[h]; !declared {
			return &spec.Skip{Code: spec.SkipHook, Text: fmt.Sprintf("needs a command that runs on this machine in hooks.%s", h)}
		}
		if h == spec.HookUninstall && !s.Removable {
			return &spec.Skip{Code: spec.SkipHook, Text: "removes the driver, which is done only where --install or --versions has installed it"}
		}
	}
	if class := s.ClassFor(needs.DriverFeatures); class.Devices < needs.Devices {
		return &spec.Skip{Code: spec.SkipDevices, Text: fmt.Sprintf("needs %d free device(s) of class %s on a node, not each node has more than %d", needs.Devices, class.Class, class.Devices)}
	}
	if have := len(s.ClassFor(needs.DriverFeatures).Nodes); have < needs.LeastNodes() {
		return &spec.Skip{Code: spec.SkipNodes, Text: fmt.Sprintf("needs %d node(s) with driver %s, there are %d", needs.LeastNodes(), s.Driver, have)}
	}
	return nil
}

func skipRestart(needs spec.Needs, target spec.Target) *spec.Skip {
	switch {
	case needs.Restarts == "":
		return nil
	case !target.Restartable:
		return &spec.Skip{Code: spec.SkipDisruption, Text: "restarts a whole node of the cluster, which --restart-nodes allows"}
	case needs.Restarts == spec.ControlPlane && target.ControlPlane() == "":
		return &spec.Skip{Code: spec.SkipNodes, Text: "restarts a node of the control plane, the cluster shows none"}
	default:
		return nil
	}
}

// skipKubelet is for nodes whose kubelet takes part in a feature and has it off, as
// older ones do, or does not know it.
func skipKubelet(f spec.Feature, target spec.Target) *spec.Skip {
	for _, n := range target.Nodes {
		on, known := n.KubeletGates[f]
		if n.Schedulable && (known && !on || !known && f.OnKubelets() && before(f, n.Kubelet)) {
			return &spec.Skip{
				Code: spec.SkipFeature,
				Text: fmt.Sprintf("needs feature %s, which is switched off in the kubelet of node %s (%s)", f, n.Name, n.Kubelet),
			}
		}
	}
	return nil
}

// before is true for versions that do not have a feature's gate yet.
func before(f spec.Feature, kubelet string) bool {
	v, err := version.ParseGeneric(kubelet)
	if err != nil {
		return false
	}
	_, has := f.Stage(v.Minor())
	return !has
}

func skipBindingTimeout(needs spec.Needs, target spec.Target) *spec.Skip {
	if needs.BindingTimeout == 0 || 0 < target.BindingTimeout && target.BindingTimeout <= needs.BindingTimeout {
		return nil
	}
	have := "which cannot be seen (10 minutes by default; clusters that dratest makes have a short one)"
	if target.BindingTimeout > 0 {
		have = fmt.Sprintf("which is %s", target.BindingTimeout)
	}
	return &spec.Skip{
		Code: spec.SkipBindingTimeout,
		Text: fmt.Sprintf("needs a scheduler whose bindingTimeout is at most %s, %s", needs.BindingTimeout, have),
	}
}

// SkipFeature says why a target does not serve a feature, or nil if it does. It
// fails closed: what cannot be seen counts as missing, under a code
// of its own so that reports can tell it from what is known to be missing.
func SkipFeature(f spec.Feature, target spec.Target) *spec.Skip {
	gates, unseen := gatesFor(f, target)
	on, known := gates[f]
	if s := skipKubelet(f, target); s != nil {
		return s
	}
	switch {
	case on && f.InV1Since() != "":
		return SkipVersion(spec.Needs{Since: f.InV1Since(), NoNode: true}, target)
	case on, !known && pastGate(f, target.Kubernetes):
		return nil
	case unseen != "":
		return &spec.Skip{
			Code: spec.SkipFeatureUnseen,
			Text: fmt.Sprintf("needs feature %s, and it cannot be seen whether the cluster serves it: %s", f, unseen),
		}
	case known:
		return &spec.Skip{
			Code: spec.SkipFeature,
			Text: fmt.Sprintf("needs feature %s, which is switched off in the cluster", f),
		}
	default:
		return &spec.Skip{
			Code: spec.SkipFeature,
			Text: fmt.Sprintf("needs feature %s, which Kubernetes %s does not know", f, target.Kubernetes),
		}
	}
}

// skipOn says why a target cannot be seen to do without a feature, or nil if it does.
func skipOn(f spec.Feature, target spec.Target) *spec.Skip {
	gates, unseen := gatesFor(f, target)
	switch {
	case gates[f]:
		return &spec.Skip{Code: spec.SkipFeature, Text: fmt.Sprintf("needs feature %s to be off, which is switched on in the cluster", f)}
	case unseen != "":
		return &spec.Skip{
			Code: spec.SkipFeature,
			Text: fmt.Sprintf("needs feature %s to be off, and it cannot be seen whether the cluster serves it: %s", f, unseen),
		}
	default:
		return nil
	}
}

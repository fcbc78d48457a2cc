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

package app

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/component-base/featuregate"
	kubefeatures "k8s.io/kubernetes/pkg/features"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// gateLine matches a Kubernetes component's metric for a feature gate.
var gateLine = regexp.MustCompile(`^kubernetes_feature_enabled\{name="([A-Za-z0-9]+)",[^}]*\} ([01])\b`)

// gatesIn returns the feature gates in metrics, nil if there are none.
func gatesIn(metrics []byte) map[string]bool {
	var gates map[string]bool
	for line := range bytes.Lines(metrics) {
		if found := gateLine.FindSubmatch(line); found != nil {
			if gates == nil {
				gates = make(map[string]bool)
			}
			gates[string(found[1])] = string(found[2]) == "1"
		}
	}
	return gates
}

// configure sets gates to the cluster's values, overridden by overrides. It returns the simulation's
// configuration with notes on unknown gates. Kube-scheduler's filters only use gates if these are the
// process's. Objects ignored by the scheduler are removed from the world.
//
// The scheduler's gates are not readable and may differ from the API server's: hence overrides.
func configure(gates featuregate.MutableFeatureGate, w *world, overrides map[string]bool) (simulation.Config, []string, error) {
	var notes []string
	if w.gates == nil {
		notes = append(notes, "feature gates of the cluster are unknown ("+w.gatesUnread+"): using those of Kubernetes v1.37; override with --feature-gates")
	}
	if err := gates.SetFromMap(takenOver(gates, w.gates)); err != nil {
		return simulation.Config{}, nil, exitError{fmt.Errorf("take over the cluster's feature gates: %w", err), 3}
	}
	if err := gates.SetFromMap(settable(gates, overrides)); err != nil {
		return simulation.Config{}, nil, exitError{fmt.Errorf("--feature-gates: %w", err), 2}
	}
	on := overlay(gates, w.gates, overrides)
	features, err := plugin.Features(on)
	if err != nil {
		for _, problem := range problemsOf(err) {
			notes = append(notes, problem.Error()+" and ignored")
		}
	}
	if !on(kubefeatures.DRADeviceTaintRules) {
		w.TaintRules = nil
	}
	return simulation.Config{Features: &features, NoDeclaredFeatures: !on(kubefeatures.NodeDeclaredFeatures)}, notes, nil
}

// overlay combines DRA's gates and the one for declared node features: overrides first, then the cluster,
// then the process. A gate missing in the cluster's metrics is off, because the cluster is older.
// Gates locked in this version may be off in the cluster.
func overlay(gates featuregate.FeatureGate, cluster, overrides map[string]bool) func(featuregate.Feature) bool {
	return func(gate featuregate.Feature) bool {
		if on, ok := overrides[string(gate)]; ok {
			return on
		}
		if cluster != nil {
			return cluster[string(gate)]
		}
		return gates.Enabled(gate)
	}
}

// settable removes locked gates of overlay: the simulation can change them, the process cannot.
func settable(gates featuregate.MutableFeatureGate, overrides map[string]bool) map[string]bool {
	known := gates.GetAll()
	set := maps.Clone(overrides)
	maps.DeleteFunc(set, func(name string, _ bool) bool {
		gate := featuregate.Feature(name)
		return known[gate].LockToDefault && (ofDRA(gate) || gate == kubefeatures.NodeDeclaredFeatures)
	})
	return set
}

func ofDRA(gate featuregate.Feature) bool { return strings.HasPrefix(string(gate), "DRA") }

// filterGates are the gates of kube-scheduler's filters, except DRA's.
var filterGates = []featuregate.Feature{ //nolint:gochecknoglobals // a table
	kubefeatures.InPlacePodVerticalScaling, kubefeatures.MatchLabelKeysInPodTopologySpread, kubefeatures.NodeInclusionPolicyInPodTopologySpread,
	kubefeatures.PodLevelResources, kubefeatures.TaintTolerationComparisonOperators,
}

// takenOver are the cluster's gates relevant to placement. A DRA gate unknown to the cluster is off:
// the cluster is older.
func takenOver(gates featuregate.MutableFeatureGate, cluster map[string]bool) map[string]bool {
	set := make(map[string]bool)
	if cluster == nil {
		return set
	}
	for gate, spec := range gates.GetAll() {
		on, known := cluster[string(gate)]
		if spec.LockToDefault || !ofDRA(gate) && (!known || !slices.Contains(filterGates, gate)) {
			continue
		}
		if on != gates.Enabled(gate) { // avoids warnings for unchanged gates
			set[string(gate)] = on
		}
	}
	return set
}

// gatesFlag is a feature gate flag like those of Kubernetes' components.
type gatesFlag struct{ into *map[string]bool }

// String implements pflag.Value, like the methods below.
func (f gatesFlag) String() string { return "" }

// Type is the type in --help.
func (f gatesFlag) Type() string { return "gate=bool,..." }

// Set adds gates.
func (f gatesFlag) Set(text string) error {
	if *f.into == nil {
		*f.into = make(map[string]bool)
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		on, err := strconv.ParseBool(strings.TrimSpace(value))
		if err != nil {
			return fmt.Errorf("%q: it has to be like DRADeviceTaints=false", part)
		}
		(*f.into)[strings.TrimSpace(name)] = on
	}
	return nil
}

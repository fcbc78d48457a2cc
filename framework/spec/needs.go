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

package spec

import (
	"fmt"
	"slices"
	"time"
)

// Needs is what a case asks of the target; the plan turns what is missing into
// a skip with a reason.
type Needs struct {
	// Features are the DRA features beyond the core that must be served.
	Features []Feature `json:"features,omitempty"`
	// Off are features that must be switched off, or not be there yet.
	Off []Feature `json:"off,omitempty"`
	// Since is the oldest release of Kubernetes that has what the case is about, as "1.37",
	// also of kubelets unless NoNode or NoKubelet is set; empty if it does not matter, or if
	// Features say enough.
	Since string `json:"since,omitempty"`
	// APIs are the versions of resource.k8s.io that must be served beside v1.
	APIs []string `json:"apis,omitempty"`
	// PodGroups is whether the case has groups of pods that have claims.
	PodGroups bool `json:"podGroups,omitempty"`
	// Nodes is the least number of schedulable Linux nodes; zero means one, unless
	// NoNode says that there may be none.
	Nodes int `json:"nodes,omitempty"`
	// NoNode is for cases of the API alone: they run no pod and have no driver, so
	// that a control plane is enough.
	NoNode bool `json:"noNode,omitempty"`
	// NoKubelet is for cases of the scheduler and the controllers alone: their pods are
	// scheduled and need not run, so that simulated nodes are enough. They have no driver
	// and publish what it would themselves.
	NoKubelet bool `json:"noKubelet,omitempty"`
	// Profile is the inventory that the case's own driver publishes; a case
	// without pools gets no driver.
	Profile Profile `json:"profile,omitzero"`
	// Devices is the number of free devices of one class on a node that the case is
	// content with, whosever the driver is, DriverFeatures are what that driver has to
	// have, and NoDriverFeatures what it must not have; zero devices for cases that need what
	// only the test driver can be told.
	Devices          int             `json:"devices,omitempty"`
	DriverFeatures   []DriverFeature `json:"driverFeatures,omitempty"`
	NoDriverFeatures []DriverFeature `json:"noDriverFeatures,omitempty"`
	// Installed is whether the case needs the driver's own pods as its vendor has installed
	// them: it restarts them.
	Installed bool `json:"installed,omitempty"`
	// Hooks are the commands of the driver's vendor that the case runs.
	Hooks []HookName `json:"hooks,omitempty"`
	// GRPC lists the kubelet plugin API versions that the driver offers; empty
	// means all of them.
	GRPC []GRPCVersion `json:"grpc,omitempty"`
	// BindingTimeout is the longest time for which the scheduler may wait for
	// binding conditions; zero means that it does not matter.
	BindingTimeout time.Duration `json:"bindingTimeout,omitempty"`
	// DefaultsProfile is whether pods of the case use a profile of the scheduler in which
	// nothing is set.
	DefaultsProfile bool `json:"defaultsProfile,omitempty"`
	// Companions are the programs that the case has beside the cluster.
	Companions []Companion `json:"-"`
	// Metrics are the components of the control plane, as "kube-scheduler", whose metrics
	// the case reads: they must run in pods that can be seen.
	Metrics []string `json:"metrics,omitempty"`
	// Disruption is whether the case restarts components that others use, too.
	Disruption bool `json:"disruption,omitempty"`
	// Alone is whether the case compares numbers of the whole cluster, which nobody else may
	// change meanwhile.
	Alone bool `json:"alone,omitempty"`
	// Restarts is the kind of node that the case restarts, whatever runs on it; empty
	// if it restarts none.
	Restarts NodeKind `json:"restarts,omitempty"`
}

// LeastNodes is the least number of schedulable Linux nodes.
func (n Needs) LeastNodes() int {
	if n.NoNode {
		return 0
	}
	return max(1, n.Nodes)
}

// NodeKind is what a node is for.
type NodeKind string

// The kinds of nodes.
const (
	Worker       NodeKind = "worker"
	ControlPlane NodeKind = "control-plane"
)

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

// need is a row of the table of needs.
type need struct {
	// wanted is whether a case asks for it.
	wanted func(Needs) bool
	// text is how lists name it; nil if they do not.
	text func(Needs) []string
	// missing is why a target cannot serve a case that asks; nil if it can. The function is
	// nil for companion programs, which are looked for only if a case that asks is to run.
	missing func(Needs, Target) *Skip
	// problems are those of the data of a case that asks; nil if there can be none.
	problems func(Meta) []string
	// label is that of the cases that ask; empty for most.
	label string
	// standard is whether each conformant cluster serves it.
	standard bool
}

// needs are all, in the order in which a plan looks for what is missing.
//
//nolint:gochecknoglobals // a table
var needs = []need{
	{
		wanted:   func(n Needs) bool { return len(n.Features) > 0 },
		text:     func(n Needs) []string { return each("%s", n.Features) },
		missing:  missingFeature,
		standard: true, // unless one is off by default (Meta.conformance)
	},
	{
		wanted:  func(n Needs) bool { return len(n.Off) > 0 },
		text:    func(n Needs) []string { return each("%s off", n.Off) },
		missing: missingOff,
	},
	{
		wanted:   func(n Needs) bool { return n.Since != "" },
		text:     func(n Needs) []string { return []string{"Kubernetes " + n.Since} },
		missing:  missingVersion,
		problems: invalid(`needs.since must be a release, as "1.37"`, func(m Meta) bool { return !release.MatchString(m.Needs.Since) }),
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return len(n.APIs) > 0 },
		text:    func(n Needs) []string { return each("resource.k8s.io/%s", n.APIs) },
		missing: missingAPI,
	},
	{
		wanted: func(n Needs) bool { return n.PodGroups },
		text:   words("scheduling.k8s.io/v1beta1"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.PodGroups, SkipAPI, "needs groups of pods, scheduling.k8s.io/v1beta1, which the cluster does not serve")
		},
	},
	{
		wanted: func(n Needs) bool { return n.Disruption },
		text:   words("--disruptive"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.Disruptable, SkipDisruption, "restarts components of the cluster, which --disruptive allows")
		},
		label: "Disruptive",
	},
	{
		wanted:   func(n Needs) bool { return n.Restarts != "" },
		text:     words("--restart-nodes"),
		missing:  missingRestart,
		problems: restartProblems,
		label:    "Disruptive",
	},
	{
		// Any driver serves a case that says how many devices it needs.
		wanted: func(n Needs) bool { return n.Devices == 0 },
		missing: ofDriver(func(Needs, Subject) *Skip {
			return &Skip{SkipDriver, "needs the test driver dra-sim, which can be told what to do"}
		}),
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return n.Installed },
		text:    words("a driver installed by its vendor"),
		missing: missingInstalled,
		problems: invalid("needs.installed goes with needs.devices, needs.disruption and serialBecause, as others' pods may use the driver",
			func(m Meta) bool { return m.Needs.Devices == 0 || !m.Needs.Disruption || m.SerialBecause == "" }),
	},
	{
		wanted: func(n Needs) bool { return len(n.DriverFeatures)+len(n.NoDriverFeatures) > 0 },
		text: func(n Needs) []string {
			return slices.Concat(each("driver feature %s", n.DriverFeatures), each("no driver feature %s", n.NoDriverFeatures))
		},
		missing: ofDriver(missingDriverFeature),
		problems: invalid("needs.driverFeatures and needs.noDriverFeatures are only asked of drivers that needs.devices says to be enough",
			func(m Meta) bool { return m.Needs.Devices == 0 }),
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return len(n.Hooks) > 0 },
		text:    func(n Needs) []string { return each("hooks.%s", n.Hooks) },
		missing: ofDriver(missingHook),
		problems: invalid("needs.hooks go with needs.installed: they change the driver that its vendor has installed",
			func(m Meta) bool { return !m.Needs.Installed }),
	},
	{
		wanted:   func(n Needs) bool { return n.Devices > 0 },
		missing:  ofDriver(missingDevices),
		standard: true,
	},
	{
		wanted: func(n Needs) bool { return n.Alone },
		text:   words("a cluster that nobody else uses"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.Disruptable, SkipShared, "compares numbers of the whole cluster, which others may use; --disruptive says that nobody does")
		},
		problems: invalid("serialBecause must be set where needs.alone is: other cases use the cluster, too",
			func(m Meta) bool { return m.SerialBecause == "" }),
	},
	{
		wanted:   func(Needs) bool { return true },
		text:     nodeWords,
		missing:  missingNodes,
		problems: nodeProblems,
		standard: true,
	},
	{
		wanted:   func(n Needs) bool { return len(n.GRPC) > 0 },
		text:     func(n Needs) []string { return each("gRPC %s", n.GRPC) },
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return len(n.Metrics) > 0 },
		text:    func(n Needs) []string { return each("metrics of %s", n.Metrics) },
		missing: missingMetrics,
	},
	{
		wanted: func(n Needs) bool { return n.DefaultsProfile },
		text:   words("a scheduler profile with all defaults"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.DefaultsProfile != "", SkipDefaultsProfile,
				"needs a profile of the scheduler in which nothing is set, and no pod of the scheduler names one in %s (clusters that dratest makes have one)", EnvDefaultsProfile)
		},
	},
	{
		wanted:  func(n Needs) bool { return n.BindingTimeout != 0 },
		text:    func(n Needs) []string { return []string{fmt.Sprintf("bindingTimeout of at most %s", n.BindingTimeout)} },
		missing: missingBindingTimeout,
	},
	{
		wanted: func(n Needs) bool { return len(n.Companions) > 0 },
		text:   func(n Needs) []string { return each("companion %s", n.Companions) },
	},
}

// Missing is why a target cannot serve a case with these needs; nil if it can.
func (n Needs) Missing(t Target) *Skip {
	for _, row := range needs {
		if row.missing != nil && row.wanted(n) {
			if s := row.missing(n, t); s != nil {
				return s
			}
		}
	}
	return nil
}

// Words are the needs as lists name them; none for a case that any cluster with a node can run.
func (n Needs) Words() []string {
	var all []string
	for _, row := range needs {
		if row.text != nil && row.wanted(n) {
			all = append(all, row.text(n)...)
		}
	}
	return all
}

// standard is whether each conformant cluster serves the needs, features aside.
func (n Needs) standard() bool {
	return !slices.ContainsFunc(needs, func(row need) bool { return !row.standard && row.wanted(n) })
}

// labels are those of the rows.
func (n Needs) labels() []string {
	var all []string
	for _, row := range needs {
		if row.label != "" && row.wanted(n) && !slices.Contains(all, row.label) {
			all = append(all, row.label)
		}
	}
	return all
}

func words(text string) func(Needs) []string { return func(Needs) []string { return []string{text} } }

func each[T ~string](format string, all []T) []string {
	var texts []string
	for _, one := range all {
		texts = append(texts, fmt.Sprintf(format, one))
	}
	return texts
}

func unless(served bool, code SkipCode, format string, args ...any) *Skip {
	if served {
		return nil
	}
	return &Skip{code, fmt.Sprintf(format, args...)}
}

// invalid is for the one problem that the data of a case can have.
func invalid(text string, is func(Meta) bool) func(Meta) []string {
	return func(m Meta) []string {
		if is(m) {
			return []string{text}
		}
		return nil
	}
}

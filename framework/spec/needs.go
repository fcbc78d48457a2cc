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

// Needs are a case's needs of the target; the plan turns unmet needs into a skip with a reason.
type Needs struct {
	// Features are the required DRA features beyond the core.
	Features []Feature `json:"features,omitempty"`
	// Off are features that must be disabled, or not exist yet.
	Off []Feature `json:"off,omitempty"`
	// Since is the oldest release with the case's subject, as "1.37", also for kubelets unless NoNode or NoKubelet is
	// set; empty if irrelevant, or implied by Features.
	Since string `json:"since,omitempty"`
	// APIs are the versions of resource.k8s.io required in addition to v1.
	APIs []string `json:"apis,omitempty"`
	// PodGroups: the case uses pod groups with claims.
	PodGroups bool `json:"podGroups,omitempty"`
	// Nodes is the minimum number of schedulable Linux nodes; zero means one, or none with NoNode.
	Nodes int `json:"nodes,omitempty"`
	// NoNode is for API-only cases: without pods or a driver, a control plane is enough.
	NoNode bool `json:"noNode,omitempty"`
	// NoKubelet is for cases of the scheduler and the controllers alone: their pods are scheduled and need not run, so
	// simulated nodes are enough. They have no driver and publish slices themselves.
	NoKubelet bool `json:"noKubelet,omitempty"`
	// Profile is the inventory of the case's own driver; a case without pools gets no driver.
	Profile Profile `json:"profile,omitzero"`
	// Devices is the number of free devices of one class required on a node, of any driver, DriverFeatures are required
	// and NoDriverFeatures excluded features of that driver; zero devices for cases requiring the programmable test
	// driver.
	Devices          int             `json:"devices,omitempty"`
	DriverFeatures   []DriverFeature `json:"driverFeatures,omitempty"`
	NoDriverFeatures []DriverFeature `json:"noDriverFeatures,omitempty"`
	// Contract: the case is a check of the driver's plugin API. It calls the socket of any driver and allocates claims itself.
	Contract bool `json:"contract,omitempty"`
	// DriverPods: the case needs the driver's own pods as installed by its vendor, and restarts them.
	DriverPods bool `json:"installed,omitempty"`
	// Hooks are the vendor's commands used by the case.
	Hooks []HookName `json:"hooks,omitempty"`
	// GRPC lists the driver's kubelet plugin API versions; empty means all of them.
	GRPC []GRPCVersion `json:"grpc,omitempty"`
	// BindingTimeout is the maximum binding timeout of the scheduler; zero means any.
	BindingTimeout time.Duration `json:"bindingTimeout,omitempty"`
	// DefaultsProfile: pods of the case use a scheduler profile with nothing set.
	DefaultsProfile bool `json:"defaultsProfile,omitempty"`
	// Companions are the programs running beside the cluster for the case.
	Companions []Companion `json:"-"`
	// Metrics are the control plane components, as "kube-scheduler", with metrics read by the case: they must run in
	// visible pods.
	Metrics []string `json:"metrics,omitempty"`
	// OneAPIServer: the case needs the metrics or queues of the only API server.
	OneAPIServer bool `json:"oneAPIServer,omitempty"`
	// Disruption: the case restarts shared components.
	Disruption bool `json:"disruption,omitempty"`
	// Alone: the case compares numbers of the whole cluster, so nothing else may change them.
	Alone bool `json:"alone,omitempty"`
	// Restarts is the kind of node rebooted by the case; empty for none.
	Restarts NodeKind `json:"restarts,omitempty"`
}

// LeastNodes is the least number of schedulable Linux nodes.
func (n Needs) LeastNodes() int {
	if n.NoNode {
		return 0
	}
	return max(1, n.Nodes)
}

// NodeKind is the role of a node.
type NodeKind string

// The kinds of nodes.
const (
	Worker       NodeKind = "worker"
	ControlPlane NodeKind = "control-plane"
)

// Reasons to skip a case.
const (
	// SkipFeature: the target does not serve a required feature.
	SkipFeature SkipCode = "FeatureNotServed"
	// SkipFeatureUnseen: it is unknown whether the target serves a required feature. The case is skipped, and the run is
	// incomplete.
	SkipFeatureUnseen SkipCode = "FeatureUnseen"
	// SkipVersion: the target's version is older than the case's subject.
	SkipVersion SkipCode = "VersionTooOld"
	// SkipAPI: the target does not serve a version of resource.k8s.io.
	SkipAPI SkipCode = "APINotServed"
	// SkipNodes: the target has too few schedulable nodes.
	SkipNodes SkipCode = "TooFewNodes"
	// SkipBindingTimeout: the scheduler's binding timeout is too long for the case, or unknown.
	SkipBindingTimeout SkipCode = "BindingTimeoutTooLong"
	// SkipDefaultsProfile: no scheduler profile with nothing set is known.
	SkipDefaultsProfile SkipCode = "NoDefaultsProfile"
	// SkipMetrics: a component with required metrics runs in no visible pod.
	SkipMetrics SkipCode = "MetricsUnseen"
	// SkipAPIServers: the cluster has several API servers, or their number is unknown.
	SkipAPIServers SkipCode = "SeveralAPIServers"
	// SkipDisruption: the case restarts components or nodes, without permission to do so.
	SkipDisruption SkipCode = "DisruptionNotAllowed"
	// SkipShared: the case compares numbers of the whole cluster, which may be shared.
	SkipShared SkipCode = "ClusterShared"
	// SkipDriver: the driver under test cannot be used for the case.
	SkipDriver SkipCode = "OtherDriverNeeded"
	// SkipDriverFeature: the driver under test lacks a feature.
	SkipDriverFeature SkipCode = "DriverFeatureMissing"
	// SkipHook: the vendor of the driver under test has declared no command, or it may not be run here.
	SkipHook SkipCode = "HookMissing"
	// SkipDevices: it has too few free devices. The run is incomplete.
	SkipDevices SkipCode = "TooFewDevices"
	// SkipCheck: a check of ProfileContract found nothing to judge on the driver under test.
	SkipCheck SkipCode = "NothingToCheck"
	// SkipPath: the upgrade path does not include the case's subject.
	SkipPath SkipCode = "NotOnThePath"
)

type need struct {
	// wanted is whether a case asks for it.
	wanted func(Needs) bool
	// text is its text in lists; nil to omit it.
	text func(Needs) []string
	// missing returns why a target cannot serve a case with this need; nil if it can. The function is nil for companion
	// programs, which are looked up only if needed.
	missing func(Needs, Target) *Skip
	// problems returns the problems of the data of a case with this need; nil if there can be none.
	problems func(Meta) []string
	label    string
	// standard is whether each conformant cluster serves it.
	standard bool
}

// needs are all needs, in the order a plan checks them.
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
		text:   constant("scheduling.k8s.io/v1beta1"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.PodGroups, SkipAPI, "needs pod groups (scheduling.k8s.io/v1beta1), not served by the cluster")
		},
	},
	{
		wanted: func(n Needs) bool { return n.Disruption },
		text:   constant("--disruptive"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.Disruptable, SkipDisruption, "restarts components of the cluster: allow it with --disruptive")
		},
		label: "Disruptive",
	},
	{
		wanted:   func(n Needs) bool { return n.Restarts != "" },
		text:     constant("--restart-nodes"),
		missing:  missingRestart,
		problems: restartProblems,
		label:    "Disruptive",
	},
	{
		// Any driver serves a case with a number of devices.
		wanted: func(n Needs) bool { return n.Devices == 0 && !n.Contract },
		missing: ofDriver(func(Needs, DriverUnderTest) *Skip {
			return &Skip{SkipDriver, "needs the programmable test driver dra-sim"}
		}),
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return n.DriverPods },
		text:    constant("a driver installed by its vendor"),
		missing: missingDriverPods,
		problems: invalid("needs.installed goes with needs.devices, needs.disruption and serialBecause, as others' pods may use the driver",
			func(m Meta) bool { return m.Needs.Devices == 0 || !m.Needs.Disruption || m.SerialBecause == "" }),
	},
	{
		wanted: func(n Needs) bool { return len(n.DriverFeatures)+len(n.NoDriverFeatures) > 0 },
		text: func(n Needs) []string {
			return slices.Concat(each("driver feature %s", n.DriverFeatures), each("no driver feature %s", n.NoDriverFeatures))
		},
		missing: ofDriver(missingDriverFeature),
		problems: invalid("needs.driverFeatures and needs.noDriverFeatures require needs.devices",
			func(m Meta) bool { return m.Needs.Devices == 0 }),
		standard: true,
	},
	{
		wanted:  func(n Needs) bool { return len(n.Hooks) > 0 },
		text:    func(n Needs) []string { return each("hooks.%s", n.Hooks) },
		missing: ofDriver(missingHook),
		problems: invalid("needs.hooks require needs.installed: they change the installed driver",
			func(m Meta) bool { return !m.Needs.DriverPods }),
	},
	{
		wanted:   func(n Needs) bool { return n.Devices > 0 },
		missing:  ofDriver(missingDevices),
		standard: true,
	},
	{
		wanted: func(n Needs) bool { return n.Alone },
		text:   constant("exclusive use of the cluster"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.Disruptable, SkipShared, "compares cluster-wide numbers: allow it with --disruptive if nobody else uses the cluster")
		},
		problems: invalid("serialBecause must be set where needs.alone is: other cases use the cluster, too",
			func(m Meta) bool { return m.SerialBecause == "" }),
	},
	{
		wanted:   func(Needs) bool { return true },
		text:     nodeDescriptions,
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
		wanted: func(n Needs) bool { return n.OneAPIServer },
		text:   constant("a single API server"),
		missing: func(_ Needs, t Target) *Skip {
			return unless(t.APIServers == 1, SkipAPIServers, "needs a single API server, as queues and request metrics are per server; the leases in kube-system name %d", t.APIServers)
		},
	},
	{
		wanted: func(n Needs) bool { return n.DefaultsProfile },
		text:   constant("a scheduler profile with all defaults"),
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

// Descriptions returns the needs for lists; none for a case runnable on any cluster with a node.
func (n Needs) Descriptions() []string {
	var all []string
	for _, row := range needs {
		if row.text != nil && row.wanted(n) {
			all = append(all, row.text(n)...)
		}
	}
	return all
}

// standard reports whether each conformant cluster serves the needs, features aside.
func (n Needs) standard() bool {
	return !slices.ContainsFunc(needs, func(row need) bool { return !row.standard && row.wanted(n) })
}

func (n Needs) labels() []string {
	var all []string
	for _, row := range needs {
		if row.label != "" && row.wanted(n) && !slices.Contains(all, row.label) {
			all = append(all, row.label)
		}
	}
	return all
}

func constant(text string) func(Needs) []string {
	return func(Needs) []string { return []string{text} }
}

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

// invalid is for the only possible problem of a case's data.
func invalid(text string, is func(Meta) bool) func(Meta) []string {
	return func(m Meta) []string {
		if is(m) {
			return []string{text}
		}
		return nil
	}
}

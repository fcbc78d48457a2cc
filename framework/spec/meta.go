package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// RequirementID names one sentence that Kubernetes promises, as
// "kep-4381/prepare-idempotent"; the texts are in suites/requirements.
type RequirementID string

// MutantID names a deliberately broken variant of a component or driver that a
// case must catch.
type MutantID string

// Level says how binding a requirement is (RFC 2119).
type Level string

// The levels of a requirement.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Requirement is one promise of Kubernetes that cases check.
type Requirement struct {
	ID    RequirementID `json:"id"`
	Level Level         `json:"level"`
	// Keeper is who has to keep the promise: api, scheduler, controllers, kubelet,
	// driver or runtime.
	Keeper string `json:"keeper"`
	// Since is the first release that keeps it by default, as "v1.34"; empty for
	// features that are off by default, and where it is not known.
	Since string `json:"since,omitempty"`
	// Area is ClassicArea for promises of the flow that v1 of the API replaced.
	Area string `json:"area,omitempty"`
	// Section says where the promise is made, as "KEP-4381, Kubelet" or an
	// upstream file with its version.
	Section string `json:"section"`
	Text    string `json:"text"`
	// NotObservable says why no case can check the promise, with the line of source
	// or document that decides; empty for most.
	NotObservable string `json:"notObservable,omitempty"`
	// Differs is what Kubernetes does instead of what the document says, and where.
	Differs string `json:"differs,omitempty"`
	// Sources are the lines of documents that make the promise. They come from the
	// ledgers in suites/requirements/ledger.
	Sources []Source `json:"-"`
}

// ClassicArea is the area of allocation by a driver's own controller.
const ClassicArea = "classic"

// Source is a place in one of the project's documents, first to last line.
type Source struct {
	Document    string
	First, Last int
}

// NeedsCase is whether some case has to check the requirement.
func (r Requirement) NeedsCase() bool {
	return r.Level == Must && r.NotObservable == "" && r.Area != ClassicArea
}

// Meta says what a case checks and what it needs. It is data: the plan, the
// catalogue, the labels and the reports are made from it.
type Meta struct {
	// ID is "area/what-happens", unique, and never reused for something else.
	ID string `json:"id"`
	// Checks is one sentence that says what must hold.
	Checks string `json:"checks"`
	// Requires lists the promises that the case checks; at least one.
	Requires []RequirementID `json:"requires"`
	Needs    Needs           `json:"needs"`
	// Catches lists the mutants that must make the case fail.
	Catches []MutantID `json:"catches,omitempty"`
	// NoMutant says why nothing that this project can break makes the case fail; empty for all
	// but a few.
	NoMutant string `json:"noMutant,omitempty"`
	// KnownIssue is what Kubernetes itself is known to do instead; nil for most cases.
	KnownIssue *KnownIssue `json:"knownIssue,omitempty"`
	// WaitsFor names a delay of Kubernetes' own that the case has to wait out,
	// with its source; empty for all cases that end within 20 s.
	WaitsFor string `json:"waitsFor,omitempty"`
	// SerialBecause says why no other case may run at the same time; empty for
	// cases that run in parallel.
	SerialBecause string `json:"serialBecause,omitempty"`
	// Timeout bounds Run; zero means DefaultTimeout.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// Claims tells whether the case checks one of these promises.
func (m Meta) Claims(promises []RequirementID) bool {
	return slices.ContainsFunc(promises, func(id RequirementID) bool { return slices.Contains(m.Requires, id) })
}

// DefaultTimeout bounds a case that does not say otherwise.
const DefaultTimeout = 2 * time.Minute

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
	// Composable is whether the case has a fabric of devices with a controller that attaches
	// them.
	Composable bool `json:"composable,omitempty"`
	// WhatIf is whether the case asks which nodes its pods need, dra-whatif or a driver of
	// classic DRA. With NoKubelet it adds them: simulated ones.
	WhatIf bool `json:"whatIf,omitempty"`
	// Classic is whether the case has a scheduler with classic DRA, and drivers that allocate
	// claims themselves. Without NoKubelet it has their part on nodes, too.
	Classic bool `json:"classic,omitempty"`
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

var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate returns all problems of a case's data at once, one per line, or nil.
func (m Meta) Validate() error {
	var problems []string
	if !idPattern.MatchString(m.ID) {
		problems = append(problems, `id must look like "area/what-happens"`)
	}
	if !strings.HasSuffix(m.Checks, ".") {
		problems = append(problems, "checks must be a sentence that ends with a full stop")
	}
	if len(m.Requires) == 0 {
		problems = append(problems, "requires must name at least one requirement")
	}
	if m.Needs.Restarts != "" && m.Needs.Restarts != Worker && m.Needs.Restarts != ControlPlane {
		problems = append(problems, fmt.Sprintf("needs.restarts must be %q, %q or empty", Worker, ControlPlane))
	}
	if m.Needs.Restarts != "" && m.SerialBecause == "" {
		problems = append(problems, "serialBecause must say that a node is restarted")
	}
	if m.Needs.Since != "" && !release.MatchString(m.Needs.Since) {
		problems = append(problems, `needs.since must be a release, as "1.37"`)
	}
	if m.NoMutant != "" && len(m.Catches) > 0 {
		problems = append(problems, "noMutant must not be set where catches names one")
	}
	if m.Needs.Nodes < 0 {
		problems = append(problems, "needs.nodes must not be negative")
	}
	if len(m.Needs.DriverFeatures)+len(m.Needs.NoDriverFeatures) > 0 && m.Needs.Devices == 0 {
		problems = append(problems, "needs.driverFeatures and needs.noDriverFeatures are only asked of drivers that needs.devices says to be enough")
	}
	if m.Needs.Alone && m.SerialBecause == "" {
		problems = append(problems, "serialBecause must be set where needs.alone is: other cases use the cluster, too")
	}
	if m.Needs.Installed && (m.Needs.Devices == 0 || !m.Needs.Disruption || m.SerialBecause == "") {
		problems = append(problems, "needs.installed goes with needs.devices, needs.disruption and serialBecause, as others' pods may use the driver")
	}
	if len(m.Needs.Hooks) > 0 && !m.Needs.Installed {
		problems = append(problems, "needs.hooks go with needs.installed: they change the driver that its vendor has installed")
	}
	if m.Needs.NoNode && (m.Needs.Nodes > 0 || len(m.Needs.Profile.Pools) > 0 || m.Needs.Disruption) {
		problems = append(problems, "needs.noNode must not be set where nodes, a driver or a restart of components is needed")
	}
	if m.Needs.NoKubelet && (m.Needs.NoNode || len(m.Needs.Profile.Pools) > 0 || m.Needs.Disruption || m.Needs.Restarts != "") {
		problems = append(problems, "needs.noKubelet must not be set where there is no node, or a driver or a restart of components is needed")
	}
	if m.KnownIssue != nil {
		if err := m.KnownIssue.Validate(); err != nil {
			problems = append(problems, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("case %q: %s", m.ID, strings.Join(problems, "; "))
}

// Area is the part of the ID before the slash: the suite's folder.
func (m Meta) Area() string {
	area, _, _ := strings.Cut(m.ID, "/")
	return area
}

package cases

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Case is a case whose pieces are done in this order; those that are nil are left
// out. A failed piece ends the case, and no other.
type Case struct {
	spec.Meta
	// Drained is whether the case is about nodes that are drained: it runs only where
	// they are, and the others only where they are not.
	Drained bool
	// Switches is the feature gate whose switching the case is about: it runs only
	// where the path switches it, and its features need not be there on the whole path.
	Switches spec.Feature

	// Before makes what is to live through the steps.
	Before func(t *harness.T, n *Notes)
	// Down does something while the kubelet of a step is stopped. A case that has it
	// runs only where a step stops one.
	Down func(t *harness.T, n *Notes, step path.Step)
	// After checks, or ends, after each step what was made before it.
	After func(t *harness.T, n *Notes, step path.Step)
	// Anew makes something after each step, in that mixture of versions.
	Anew func(t *harness.T, n *Notes, step path.Step)
	// Restored checks that all is as it was where the path leads back to its start.
	Restored func(t *harness.T, n *Notes)
	// Gone ends what there is, and checks that nothing of it stays.
	Gone func(t *harness.T, n *Notes)
}

// Validate returns all problems of a case's data at once.
func (c Case) Validate() error {
	errs := []error{c.Meta.Validate()}
	if c.Before == nil || c.After == nil || c.Gone == nil {
		errs = append(errs, fmt.Errorf("case %q: something must be made before, checked after each step, and gone", c.ID))
	}
	return errors.Join(errs...)
}

// concerns tells whether a step can make a difference to what a case makes anew:
// kube-proxy cannot, nor can the kubelets of nodes that the case does not use.
func concerns(t *harness.T, step path.Step) bool {
	switch step.Place.Component {
	case path.Proxy:
		return false
	case path.Kubelet:
		return slices.Contains(t.Nodes, step.Place.Node)
	default:
		return true
	}
}

// Notes are what a case remembers from piece to piece.
type Notes struct {
	// Round numbers what is made anew.
	Round int `json:"round,omitempty"`
	// Rounds are for what is made anew on each node at its own time.
	Rounds map[string]int `json:"rounds,omitempty"`
	// Seen are events that were there before a step.
	Seen []types.UID `json:"seen,omitempty"`
	// Restarted is whether a kubelet was since a pod last joined a claim.
	Restarted bool `json:"restarted,omitempty"`
	// Left are claims that are still to be unprepared.
	Left map[string]types.UID `json:"left,omitempty"`
	// Answers are what was answered before, by what was asked.
	Answers map[string]string `json:"answers,omitempty"`
	// Pods and Claims are as they were when they were noted, by name.
	Pods   map[string]Pod   `json:"pods,omitempty"`
	Claims map[string]Claim `json:"claims,omitempty"`
}

// Pod is what must not change about a pod.
type Pod struct {
	UID       types.UID `json:"uid"`
	Node      string    `json:"node"`
	Container string    `json:"container"`
	Restarts  int32     `json:"restarts"`
	// Extended is the claim for its extended resources.
	Extended *corev1.PodExtendedResourceClaimStatus `json:"extended,omitempty"`
}

// Claim is what must not change about a claim.
type Claim struct {
	UID     types.UID `json:"uid"`
	Devices []string  `json:"devices"`
	// Prepared is how often a kubelet had it prepared, Held whether the driver still
	// has it so.
	Prepared int  `json:"prepared"`
	Held     bool `json:"held"`
}

// All returns the cases.
func All() []Case {
	return slices.Concat(
		[]Case{KeepsRunning, MadeAndDeleted, TemplateClaims, SharedClaim, PendingPod, Checkpoint},
		[]Case{ExtendedExplicit, ExtendedImplicit, ExtendedMixedNodes, ExtendedGateExplicit, ExtendedGateImplicit, ExtendedGateRestarted},
		byFeature(), byGate(),
		[]Case{KubeletDown, DriverRolling, DriverStopStart, APIVersions, StoredAsV1beta1, Drained},
		[]Case{DeletedInUse, Reservations, ClaimQuota, StatusWriters, TaintSeconds, WaitsForConditions, PodResources, TwoGenerations},
		[]Case{InstalledRuns, InstalledServes},
	)
}

// Metas returns what the cases say of themselves.
func Metas() []spec.Meta {
	var metas []spec.Meta
	for _, c := range All() {
		metas = append(metas, c.Meta)
	}
	return metas
}

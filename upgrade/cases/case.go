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

// Case is a case in several parts, executed in this order; nil parts are skipped. A failed part
// ends this case only.
type Case struct {
	spec.Meta
	// Drained marks cases about drained nodes: they run only if nodes are drained, the others only
	// if not.
	Drained bool
	// Switches is the feature gate switched in the case: it runs only if the path switches the
	// gate, and its features need not be available on the whole path.
	Switches spec.Feature
	// Etcd marks cases that write into etcd: they run only on clusters made by dratest.
	Etcd bool

	// Before creates the objects to live through the steps.
	Before func(t *harness.T, n *Notes)
	// Down runs while the kubelet of a step is stopped. Cases with it run only if a step stops a
	// kubelet.
	Down func(t *harness.T, n *Notes, step path.Step)
	// After checks, or removes, the objects after each step.
	After func(t *harness.T, n *Notes, step path.Step)
	// Anew creates objects after each step, in the current mix of versions.
	Anew func(t *harness.T, n *Notes, step path.Step)
	// Restored checks for the original state if the path returns to its start.
	Restored func(t *harness.T, n *Notes)
	// Gone removes everything and checks for leftovers.
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

// concerns reports whether a step can affect new objects of a case: kube-proxy cannot, nor can
// kubelets of other nodes.
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

// Notes are a case's memory between its parts.
type Notes struct {
	// Round numbers the new objects.
	Round int `json:"round,omitempty"`
	// Rounds number new objects per node.
	Rounds map[string]int `json:"rounds,omitempty"`
	// Nodes are the nodes of the case, if one was replaced since the case began.
	Nodes []string `json:"nodes,omitempty"`
	// Seen are events from before a step.
	Seen []types.UID `json:"seen,omitempty"`
	// Restarted is set if a kubelet restarted since a pod last joined a claim.
	Restarted bool `json:"restarted,omitempty"`
	// Left are claims still to be unprepared.
	Left map[string]types.UID `json:"left,omitempty"`
	// Answers are previous answers by question.
	Answers map[string]string `json:"answers,omitempty"`
	// Pods and Claims are the noted states by name.
	Pods   map[string]Pod   `json:"pods,omitempty"`
	Claims map[string]Claim `json:"claims,omitempty"`
}

// Pod is the immutable state of a pod.
type Pod struct {
	UID       types.UID `json:"uid"`
	Node      string    `json:"node"`
	Container string    `json:"container"`
	Restarts  int32     `json:"restarts"`
	// Extended is the special claim for extended resources.
	Extended *corev1.PodExtendedResourceClaimStatus `json:"extended,omitempty"`
}

// Claim is the immutable state of a claim.
type Claim struct {
	UID     types.UID `json:"uid"`
	Devices []string  `json:"devices"`
	// Prepared is the number of prepare calls, Held whether the driver still has it prepared.
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
		[]Case{DriverUnderTestRuns, DriverUnderTestServes},
	)
}

// Metas returns the metadata of the cases.
func Metas() []spec.Meta {
	var metas []spec.Meta
	for _, c := range All() {
		metas = append(metas, c.Meta)
	}
	return metas
}

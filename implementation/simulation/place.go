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

package simulation

import (
	"context"
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// Placement is the result for a pod.
type Placement struct {
	Pod *v1.Pod
	// Node is empty if the pod does not fit; Reason explains why.
	Node string
	// Reason is set by Place, Grow and Shrink.
	Reason string
	// Claims of the pod by name with their devices, including the special claim for extended resources.
	// nil if the pod uses none.
	Claims []*resourceapi.ResourceClaim

	// rejected is the source of a Reason not rendered yet.
	rejected *rejections
	// final: another attempt cannot help, whatever PostFilter might free.
	final bool
	// failed: the attempt ended in an error, and the scheduler retries without waiting for an event.
	failed bool
}

// why renders the reason on demand.
func (p *Placement) why() string {
	if p.Reason == "" && p.rejected != nil {
		p.Reason = p.rejected.String()
	}
	return p.Reason
}

// Place places pods one after the other and returns their placements. Placed pods stay until Revert.
// An error is a failure of the simulation, not a pod without a node.
func (s *Simulation) Place(ctx context.Context, pods []*v1.Pod) ([]Placement, error) {
	placements := make([]Placement, len(pods))
	err := s.inRounds(len(pods), func(i int) (Placement, error) {
		placement, err := s.place(ctx, pods[i], nil)
		if err != nil {
			return Placement{}, err
		}
		placement.why()
		placements[i] = placement
		return placement, nil
	})
	if err != nil {
		return nil, err
	}
	return placements, nil
}

// inRounds calls try for each of n pods, and again for those without a node: for all of them after
// PostFilter freed something, like the scheduler's wake-ups, and for failed ones after another pod got
// a node. It terminates: each round has less to free or one pod less.
func (s *Simulation) inRounds(n int, try func(pod int) (Placement, error)) error {
	waiting := make([]int, n)
	for i := range waiting {
		waiting[i] = i
	}
	for len(waiting) > 0 {
		before := s.manager.Rewritten()
		var left, failed []int
		changed := false // since a failed attempt
		for _, i := range waiting {
			p, err := try(i)
			if err != nil {
				return err
			}
			switch {
			case p.Node != "":
				changed = changed || len(failed) > 0
				continue
			case p.failed:
				failed = append(failed, i)
			}
			left = append(left, i)
		}
		switch {
		case s.manager.Rewritten() != before:
			waiting = left
		case changed:
			waiting = failed
		default:
			return nil
		}
	}
	return nil
}

// place places a pod on a node selected by among (nil for all); elsewhere the pod does not fit or must
// not go. Like the scheduler, it retries as long as PostFilter frees something for the pod.
func (s *Simulation) place(ctx context.Context, pod *v1.Pod, among func(*framework.NodeInfo) bool) (Placement, error) {
	for {
		before := s.manager.Rewritten()
		cycle := framework.NewCycleState()
		placement, err := s.attempt(ctx, cycle, pod, among)
		if err != nil || placement.Node != "" || placement.final {
			return placement, err
		}
		_, status := s.framework.RunPostFilterPlugins(ctx, cycle, pod, framework.NewDefaultNodeToStatus())
		if status.Code() == fwk.Error {
			return Placement{}, fmt.Errorf("take back what keeps pod %s from nodes: %w", klog.KObj(pod), status.AsError())
		}
		if s.manager.Rewritten() == before {
			return placement, nil
		}
		s.memory = s.memory.forget() // there are more devices now
	}
}

func (s *Simulation) attempt(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, among func(*framework.NodeInfo) bool) (Placement, error) {
	if len(pod.Spec.SchedulingGates) > 0 {
		return Placement{Pod: pod, Reason: "it has scheduling gates", final: true}, nil
	}
	shape := ""
	if among == nil {
		shape = s.shape(pod)
	}
	rejected := s.memory.of(shape)
	if shape != "" && rejected.count == len(s.nodes.list) {
		return Placement{Pod: pod, rejected: rejected, final: true}, nil
	}
	result, status, _ := s.framework.RunPreFilterPlugins(ctx, cycle, pod)
	if !status.IsSuccess() && ctx.Err() == nil {
		return Placement{Pod: pod, Reason: status.Message(), final: !status.IsRejected(), failed: !status.IsRejected()}, nil
	}
	node, status := s.choose(ctx, cycle, pod, s.candidates(pod, result, among, rejected), rejected)
	if ctx.Err() != nil {
		return Placement{}, fmt.Errorf("place pod %s: %w", klog.KObj(pod), context.Cause(ctx))
	}
	if !status.IsSuccess() {
		return Placement{Pod: pod, Reason: status.Message(), final: true, failed: true}, nil
	}
	if node == "" {
		return Placement{Pod: pod, rejected: rejected}, nil
	}
	if status := s.framework.RunReservePluginsReserve(ctx, cycle, pod, node); !status.IsSuccess() {
		s.framework.RunReservePluginsUnreserve(ctx, cycle, pod, node)
		return Placement{}, fmt.Errorf("reserve devices of pod %s on node %s: %w", klog.KObj(pod), node, status.AsError())
	}
	if err := s.manager.Bind(pod); err != nil {
		return Placement{}, err
	}
	s.manager.OnRevert(s.nodes.place(pod, node))
	return Placement{Pod: pod, Node: node, Claims: s.manager.Claims(pod)}, nil
}

// candidates are the indices of the nodes to try, a nominated one first.
func (s *Simulation) candidates(pod *v1.Pod, result *fwk.PreFilterResult, among func(*framework.NodeInfo) bool, rejected *rejections) []int {
	var asked []int
	for i := rejected.first; i < len(s.nodes.list); i++ {
		name := s.nodes.list[i].Node().Name
		if rejected.has(i) || among != nil && !among(s.nodes.list[i]) {
			continue
		}
		if !result.AllNodes() && !result.NodeNames.Has(name) {
			rejected.add(i, "node(s) didn't match what the pod names")
			continue
		}
		asked = append(asked, i)
		if last := len(asked) - 1; name == pod.Status.NominatedNodeName {
			copy(asked[1:], asked[:last])
			asked[0] = i
		}
	}
	return asked
}

// choose returns the first fitting node with local devices. For pods with alternatives or non-local
// devices (KEP-5007) it returns the first of the best nodes. It is empty if no node fits. The status
// is set if a node returned an error.
func (s *Simulation) choose(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, asked []int, rejected *rejections) (string, *fwk.Status) {
	var fitting []fwk.NodeInfo
	scored := s.hasAlternatives(pod)
	for _, i := range asked {
		info := s.nodes.list[i]
		status := s.framework.RunFilterPlugins(ctx, cycle, pod, info)
		switch {
		case status.IsSuccess():
			fitting = append(fitting, info)
		case status.IsRejected():
			rejected.add(i, status.Message())
		default:
			return "", status
		}
		if !status.IsSuccess() {
			continue
		}
		name := info.Node().Name
		if len(fitting) == 1 && name == pod.Status.NominatedNodeName || !scored && scheduler.Distance(cycle, name) == 0 {
			return name, nil
		}
	}
	if len(fitting) == 0 {
		return "", nil
	}
	if status := s.framework.RunPreScorePlugins(ctx, cycle, pod, fitting); !status.IsSuccess() {
		return "", status
	}
	scores, status := s.framework.RunScorePlugins(ctx, cycle, pod, fitting)
	if !status.IsSuccess() {
		return "", status
	}
	best := 0
	for i := range scores {
		if scores[i].TotalScore > scores[best].TotalScore {
			best = i
		}
	}
	return fitting[best].Node().Name, nil
}

// hasAlternatives reports whether an unallocated claim of the pod lists alternatives (KEP-4816).
func (s *Simulation) hasAlternatives(pod *v1.Pod) bool {
	for _, claim := range s.claimsOf(pod) {
		if claim.Status.Allocation != nil {
			continue
		}
		for i := range claim.Spec.Devices.Requests {
			if len(claim.Spec.Devices.Requests[i].FirstAvailable) > 0 {
				return true
			}
		}
	}
	return false
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// claimsOf returns the existing claims of the pod's spec.
func (s *Simulation) claimsOf(pod *v1.Pod) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		if claim, err := s.manager.ResourceClaims().Get(pod.Namespace, *name); err == nil {
			claims = append(claims, claim)
		}
	}
	return claims
}

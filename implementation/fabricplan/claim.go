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

package fabricplan

import (
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClaimView is the known state of a claim.
type ClaimView struct {
	Config
	Claim *resourceapi.ResourceClaim
	// Answers are current answers of the fabric, by key.
	Answers map[string]Answer
	// NodeExists reports whether a node is in the cache, which may be stale.
	NodeExists func(node string) bool
	// Nodes are results of VerifyNode by name.
	Nodes map[string]bool
	// Published reports whether a driver publishes a device as local to a node.
	Published func(node, device string) bool
	// Dead reports whether a device was dead at the last inventory.
	Dead func(device string) bool
	Now  time.Time
}

// PlanClaim plans the actions for the slots of a claim. The scheduler waits for their conditions.
func PlanClaim(view ClaimView) []Action {
	// A claim being deleted gets no pod.
	if view.Claim.Status.Allocation == nil || view.Claim.DeletionTimestamp != nil {
		return nil
	}
	p := claimPlan{ClaimView: view, devices: view.Claim.DeepCopy().Status.Devices}
	for i := range view.Claim.Status.Allocation.Devices.Results {
		result := &view.Claim.Status.Allocation.Devices.Results[i]
		model, ours := view.model(result.Driver, result.Pool)
		if ours && len(result.BindingConditions) > 0 {
			p.slot(result, model)
		}
	}
	if len(p.ask) > 0 {
		return p.ask
	}
	var actions []Action
	if !equality.Semantic.DeepEqual(p.devices, view.Claim.Status.Devices) {
		actions = append(actions, WriteStatus{Devices: p.devices, Notes: p.notes})
	}
	if p.poll {
		actions = append(actions, PollClaim{})
	}
	return actions
}

type claimPlan struct {
	ClaimView
	devices []resourceapi.AllocatedDeviceStatus
	notes   []Note
	ask     []Action
	poll    bool
}

// slot plans for one slot of the claim.
func (p *claimPlan) slot(result *resourceapi.DeviceRequestAllocationResult, model string) {
	key := KeyOf(p.Claim, result)
	status := statusOf(p.devices, result, key)
	if status.settled() {
		return
	}
	node := nodeOf(p.Claim)
	status.attachment.Key, status.attachment.Node = key, node
	answer, answered := p.Answers[key]
	exists, verified := p.Nodes[node]
	switch {
	case result.AdminAccess != nil && *result.AdminAccess:
		p.fail(result, status, ReasonAdminAccess, "a device that is not attached gives no admin access")
	case node == "":
		p.fail(result, status, ReasonNoNode, "the allocation does not say for which node it is")
	case status.attachment.Device != "": // attached, waiting for its driver
		p.attached(result, status)
	case !answered && !p.NodeExists(node) && !verified:
		if verify := (VerifyNode{Name: node}); !slices.Contains(p.ask, Action(verify)) {
			p.ask = append(p.ask, verify)
		}
	case !answered && !p.NodeExists(node) && !exists:
		p.fail(result, status, ReasonNoNode, fmt.Sprintf("there is no node %s", node))
	case !answered:
		p.ask = append(p.ask, Attach{Key: key, Model: model, Node: node})
	case answer.Refused != "":
		p.fail(result, status, answer.Refused, answer.Message)
	case answer.Task.Phase == TaskFailed:
		p.fail(result, status, ReasonFailed, answer.Task.Error)
	case answer.Task.Phase == TaskSucceeded:
		status.attachment.Device = answer.Task.Device
		p.attached(result, status)
	default:
		p.poll = true
		p.set(result, status, Attached, metav1.ConditionFalse, ReasonAttaching, fmt.Sprintf("a device of model %s is being attached to node %s", model, node))
	}
}

// attached plans for a slot with its device at the node.
func (p *claimPlan) attached(result *resourceapi.DeviceRequestAllocationResult, status slotStatus) {
	device, node := status.attachment.Device, status.attachment.Node
	message := fmt.Sprintf("device %s was attached to node %s", device, node)
	switch {
	case p.Dead(device):
		p.fail(result, status, ReasonDied, fmt.Sprintf("device %s has died", device))
	case !slices.Contains(result.BindingFailureConditions, AttachedAsLocal):
		p.notes = append(p.notes, normal(ReasonAttached, message))
		p.set(result, status, Attached, metav1.ConditionTrue, ReasonAttached, message)
	case p.Published(node, device):
		p.notes = append(p.notes, normal(ReasonAttached, message+", where the pod is to be scheduled to it"))
		p.set(result, status, AttachedAsLocal, metav1.ConditionTrue, ReasonAttached, message)
	default: // a slice will show
		p.set(result, status, Attached, metav1.ConditionFalse, ReasonNotVisible, message+", the driver there does not publish it yet")
	}
}

func (p *claimPlan) fail(result *resourceapi.DeviceRequestAllocationResult, status slotStatus, reason, message string) {
	p.notes = append(p.notes, warning(reason, fmt.Sprintf("device %s of pool %s: %s", result.Device, result.Pool, message)))
	p.set(result, status, AttachFailed, metav1.ConditionTrue, reason, message)
}

func (p *claimPlan) set(result *resourceapi.DeviceRequestAllocationResult, status slotStatus, condition string, value metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&status.conditions, metav1.Condition{
		Type: condition, Status: value, ObservedGeneration: p.Claim.Generation,
		LastTransitionTime: metav1.NewTime(p.Now), Reason: reason, Message: message,
	})
	p.devices = status.put(p.devices, result)
}

// Waits reports whether a claim has unsettled slots. Most claims have no slots.
func (c Config) Waits(claim *resourceapi.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if _, ours := c.model(result.Driver, result.Pool); ours && len(result.BindingConditions) > 0 &&
			!statusOf(claim.Status.Devices, result, KeyOf(claim, result)).settled() {
			return true
		}
	}
	return false
}

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

package audit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Node is a node's state of claims.
type Node struct {
	Name string
	// Calls are the calls of the node's driver, oldest first.
	Calls []spec.Call
	// Prepared are the claims currently prepared by the driver.
	Prepared []types.UID
	// Checkpoint has the claims in the kubelet's checkpoint.
	Checkpoint []types.UID
}

// Use is a completed pod with a claim for a driver's devices.
type Use struct {
	Pod   *corev1.Pod
	Claim types.UID
}

// Drivers checks, when all pods are gone, that each claim of a pod was prepared on the pod's node, and each claim
// with a prepare call is unprepared, in both the driver's and the kubelet's state.
func Drivers(nodes []Node, uses []Use) []Violation {
	prepared := map[claimOn]bool{}
	var found []Violation
	for _, node := range nodes {
		history := historyOf(node)
		for claim, h := range history {
			prepared[claim] = h.prepared
			if h.left != "" {
				found = append(found, aboutNode(NotUnprepared, claim, "%s", h.left))
			}
		}
		for _, uid := range node.Prepared {
			found = append(found, aboutNode(StillPrepared, claimOn{node.Name, uid}, "is still prepared by the driver"))
		}
		for _, uid := range node.Checkpoint {
			found = append(found, aboutNode(CheckpointLeft, claimOn{node.Name, uid}, "is still in the kubelet's checkpoint"))
		}
	}
	for _, use := range uses {
		claim := claimOn{use.Pod.Spec.NodeName, use.Claim}
		if !prepared[claim] {
			v := aboutNode(NotPrepared, claim, "was not prepared, but pod %s has run with it", use.Pod.Name)
			v.Evidence = []Object{use.Pod}
			found = append(found, v)
		}
	}
	return Sorted(found)
}

// claimOn is a claim on a node.
type claimOn struct {
	node string
	uid  types.UID
}

// history has a driver's calls for a claim.
type history struct {
	prepared bool
	// left is why the claim may still be prepared in the end; empty if it is not.
	left string
}

func historyOf(node Node) map[claimOn]history {
	all := map[claimOn]history{}
	for _, call := range node.Calls {
		for _, claim := range call.Claims {
			on := claimOn{node.Name, claim.UID}
			h, failed := all[on], call.InProgress || call.Error != "" || claim.Error != ""
			switch {
			case call.Method == spec.Unprepare && !failed:
				h.left = ""
			case call.Method == spec.Unprepare && h.left != "":
				h.left = "was not unprepared: " + because(call.Error, claim.Error)
			case call.Method == spec.Prepare:
				h.left = "was to be prepared, and never unprepared after that"
				h.prepared = h.prepared || !failed && len(claim.CDIDevices) > 0
			}
			all[on] = h
		}
	}
	return all
}

func aboutNode(rule Rule, claim claimOn, format string, args ...any) Violation {
	subject := fmt.Sprintf("claim %s on node %s", claim.uid, claim.node)
	return Violation{Rule: rule, Subject: subject, Text: subject + " " + fmt.Sprintf(format, args...)}
}

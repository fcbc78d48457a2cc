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

package api

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// StatusAuthorizationNodes writes device status for allocations with more or less exact node selectors. The
// permission for arbitrary nodes is enough for all of them.
var StatusAuthorizationNodes = harness.Case{Meta: spec.Meta{
	ID:       "api/status-authorization-nodes",
	Checks:   "The permission for the allocation's node counts only for service accounts of exactly that one node.",
	Requires: []spec.RequirementID{"resource-v1/status-driver-node-verbs"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.GranularStatusAuthorization, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	here, labelled := objects.Nodes("this-node").NodeSelectorTerms[0], nodeTerm(0)
	twice, both, except := here, here, here
	twice.MatchFields = append(twice.MatchFields, here.MatchFields[0])
	both.MatchExpressions = labelled.MatchExpressions
	except.MatchFields = []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"this-node"}}}
	reported := map[string]*resourceapi.ResourceClaim{}
	for name, terms := range map[string][]corev1.NodeSelectorTerm{
		"one-node": {here}, "everywhere": nil, "two-nodes": objects.Nodes("this-node", "other-node").NodeSelectorTerms, "by-label": {labelled}, "by-name-twice": {twice}, "by-name-and-label": {both},
		"all-other-nodes": {except}, "other-node": objects.Nodes("other-node").NodeSelectorTerms,
	} {
		t.Create(objects.Claim(name, objects.Request("req", "class")))
		reported[name] = edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation = allocation("device-0")
			if len(terms) > 0 {
				c.Status.Allocation.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: terms}
			}
		})
		reported[name].Status.Devices = []resourceapi.AllocatedDeviceStatus{statusOf(driver, "device-0", 0)}
	}
	account := "system:serviceaccount:" + t.Namespace + ":driver"
	mayUpdateStatus(t, account, user(t))
	mayWriteOf(t, "associated", driver, resourceapi.VerbPrefixAssociatedNode+"update", account, user(t))
	write := func(who, claim string, nodes ...string) error {
		client := t.As(rest.ImpersonationConfig{UserName: who, Extra: map[string][]string{"authentication.kubernetes.io/node-name": nodes}})
		return updateStatus(t, client.ResourceV1().ResourceClaims(t.Namespace))(reported[claim].DeepCopy())
	}
	allowed(t, "the service account on the node", func() error { return write(account, "one-node", "this-node") })
	refused := map[string]func() error{
		"a service account of two nodes": func() error { return write(account, "one-node", "this-node", "other-node") },
		"a service account of no node":   func() error { return write(account, "one-node") },
		"a user of the node":             func() error { return write(user(t), "one-node", "this-node") },
	}
	for claim := range reported {
		if claim != "one-node" {
			refused["an allocation for "+claim] = func() error { return write(account, claim, "this-node") }
		}
	}
	for what, write := range refused {
		t.Expect(notRefused(write(), "status.devices", forbidden)).To(gomega.BeEmpty(), "the status of a device, for %s", what)
	}
	t.Step("write all of it with the permission for arbitrary nodes")
	mayWriteOf(t, "arbitrary", driver, resourceapi.VerbPrefixArbitraryNode+"update", account, user(t))
	for what, write := range refused {
		allowed(t, what, write)
	}
}}

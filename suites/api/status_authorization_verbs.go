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
	"fmt"

	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// StatusAuthorizationVerbs writes device status in all ways as users with permission for one.
var StatusAuthorizationVerbs = harness.Case{Meta: spec.Meta{
	ID:       "api/status-authorization-verbs",
	Checks:   "Updates of device status require the update permission, patches and applies the patch permission.",
	Requires: []spec.RequirementID{"resource-v1/status-driver-node-verbs"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.GranularStatusAuthorization, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	stored := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = allocation("device-0")
		c.Status.Allocation.NodeSelector = objects.Nodes("this-node")
	})
	account := "system:serviceaccount:" + t.Namespace + ":"
	here := map[string][]string{"authentication.kubernetes.io/node-name": {"this-node"}}
	for i, w := range []struct {
		who          rest.ImpersonationConfig
		prefix, verb string
	}{
		{rest.ImpersonationConfig{UserName: user(t) + "-updates"}, resourceapi.VerbPrefixArbitraryNode, "update"},
		{rest.ImpersonationConfig{UserName: user(t) + "-patches"}, resourceapi.VerbPrefixArbitraryNode, "patch"},
		{rest.ImpersonationConfig{UserName: account + "updates", Extra: here}, resourceapi.VerbPrefixAssociatedNode, "update"},
		{rest.ImpersonationConfig{UserName: account + "patches", Extra: here}, resourceapi.VerbPrefixAssociatedNode, "patch"},
	} {
		mayHere(t, name("status", i), rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update", "patch"}}, w.who.UserName)
		mayWriteOf(t, name("driver", i), driver, w.prefix+w.verb, w.who.UserName)
		ways := deviceStatusWrites(t, w.who, stored)
		t.Step("write the status of a device as %s with the right to %s%s", w.who.UserName, w.prefix, w.verb)
		for _, way := range ways {
			if way.verb == w.verb {
				allowed(t, "to "+way.name, way.write)
			}
		}
		for _, way := range ways {
			if way.verb != w.verb {
				t.Expect(notRefused(way.write(), "status.devices", forbidden)).To(gomega.BeEmpty(), "to %s as %s", way.name, w.who.UserName)
			}
		}
	}
}}

// statusWrite is a way to write the status of a claim, with its verb for authorization.
type statusWrite struct {
	name, verb string
	write      func() error
}

// deviceStatusWrites returns all ways to write the claim's device status, as dry runs.
func deviceStatusWrites(t *harness.T, who rest.ImpersonationConfig, claim *resourceapi.ResourceClaim) []statusWrite {
	claims := t.As(who).ResourceV1().ResourceClaims(t.Namespace)
	patch := func(kind types.PatchType, options metav1.PatchOptions) func() error {
		options.DryRun = []string{metav1.DryRunAll}
		body := fmt.Appendf(nil, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","status":{"devices":[{"driver":%q,"pool":"pool","device":"device-0"}]}}`, driver)
		return func() error {
			_, err := claims.Patch(t.Context(), claim.Name, kind, body, options, "status")
			return err
		}
	}
	reported := claim.DeepCopy()
	reported.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "pool", Device: "device-0"}}
	return []statusWrite{
		{"update", "update", func() error { return updateStatus(t, claims)(reported.DeepCopy()) }},
		{"patch", "patch", patch(types.MergePatchType, metav1.PatchOptions{})},
		{"patch strategically", "patch", patch(types.StrategicMergePatchType, metav1.PatchOptions{})},
		{"apply", "patch", patch(types.ApplyPatchType, metav1.PatchOptions{FieldManager: "driver"})},
	}
}

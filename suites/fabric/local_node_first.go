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

package fabric

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// localPods is high enough to make correct placement by chance unlikely.
const localPods = 6

// LocalNodeFirst has two nodes with attachable devices, only one of them with a local device.
var LocalNodeFirst = harness.Case{Meta: spec.Meta{
	ID:         "fabric/local-node-first",
	Checks:     "A pod is bound to the node with a local device although both nodes could have one attached.",
	Requires:   []spec.RequirementID{"kep-5007/local-node-first"},
	Needs:      needs(2),
	KnownIssue: issues.Known("local-node-first"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(4)).MayReport()
	c.WaitFree(4)
	for i := range localPods {
		name := fmt.Sprintf("pod-%d", i)
		// Both nodes have a turn, whichever the scheduler prefers for other reasons.
		node := t.Nodes[i%2]
		slice := t.Publish("local-"+name, node, resourceapi.Device{Name: "local-" + name})
		scheduler.AwaitSeen(t)
		t.Create(objects.Claim(name, objects.Request("req", class)), objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes...))
		got := t.WaitScheduled(name).Spec.NodeName
		result := t.Claim(name).Status.Allocation.Devices.Results[0]
		if got != node && result.Pool == "fabric/"+spec.FabricModel {
			t.KnownIssue("expected pod %s on node %s with a local device, got node %s with a newly attached one", name, node, got)
			return
		}
		t.Expect(result.Pool).To(gomega.Equal(slice.Spec.Pool.Name), "pool of the device of pod %s", name)
		t.Expect(got).To(gomega.Equal(node), "node of pod %s", name)
	}
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, free, "")).To(gomega.Equal(4), "free devices")
}}

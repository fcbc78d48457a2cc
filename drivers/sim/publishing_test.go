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

package sim

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// publishingNode is a node with a driver and an API server of its own: the fake one mixes up the slices of different
// nodes.
type publishingNode struct {
	agent   *Agent
	kubelet *kubelet
	devices func() int
	wipe    func()
}

func newPublishingNode(t *testing.T, publishing spec.Publishing) publishingNode {
	t.Helper()
	root := shortDir(t)
	n := publishingNode{kubelet: startKubelet(t, root)}
	agent, client := newAgent(t, root)
	slices := client.ResourceV1().ResourceSlices()
	n.agent = agent
	n.devices = func() int { return len(published(t, client)) }
	n.wipe = func() {
		if err := slices.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		n.kubelet.restart()
	}
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice(), Publishing: publishing}); err != nil {
		t.Fatal(err)
	}
	return n
}

// Other vendors' drivers come back later than dra-sim's: their library waits for 30 s.
func TestHelperDoesNotPublishAgainAtOnce(t *testing.T) {
	quick, slow := newPublishingNode(t, spec.PublishAtOnce), newPublishingNode(t, spec.PublishByHelper)
	eventually(t, "the helper publishes", func() bool { return slow.devices() == 1 })
	// Not after a change: the number of the helper's checks then varies.
	slow.wipe()
	quick.wipe()
	eventually(t, "what publishes at once is there again", func() bool { return quick.devices() == 1 })
	if slow.devices() > 0 {
		t.Error("the helper has published again at once")
	}
	// A new instance does not wait.
	if err := slow.agent.Change(t.Context(), driver, spec.DriverChange{Upgrade: true}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the next instance publishes", func() bool { return slow.devices() == 1 })
	for _, n := range []publishingNode{quick, slow} {
		if err := n.agent.Change(t.Context(), driver, spec.DriverChange{Profile: new(profiles.TwoDevices())}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a change is published", func() bool { return n.devices() == 2 })
	}
	if err := slow.agent.Stop(t.Context(), driver); err != nil || slow.devices() > 0 {
		t.Errorf("%d devices are left, error %v", slow.devices(), err)
	}
}

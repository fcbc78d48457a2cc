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

package scheduler

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// talk is the state of a negotiation, from the first attempt until the pod is bound or deleted. It
// is lost when the scheduler restarts: then nodes are requested again.
type talk struct {
	// rejected is Negotiation.Rejected of classicplan.
	rejected sets.Set[string]
	// stuck are the claims that excluded nodes now rejected: these are not checked again, and a
	// deallocation may still help.
	stuck sets.Set[types.UID]
	// latest is the response to the last write, as informers are stale.
	latest *v1alpha1.PodScheduling
	// gone is the last deleted PodScheduling. The deletion event may arrive before the response to
	// the write, and concern its object before informers have it.
	gone types.UID
	// beyond is Rest.Beyond of classicplan.
	beyond bool
	// asking is the request being written, or nil.
	asking *question
	// selected is the selected node of the last attempt, if it left the pod to drivers.
	selected string
}

// scheduling returns the latest known PodScheduling of a pod, or nil.
func (c *cluster) scheduling(pod *v1.Pod) *v1alpha1.PodScheduling {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := cached[*v1alpha1.PodScheduling](c.schedulings, pod.Namespace, pod.Name)
	talk := c.talks[pod.UID]
	if known != nil && (!ownedBy(known, pod.UID) || talk != nil && talk.gone == known.UID) {
		known = nil // Of an earlier pod of the same name, or deleted.
	}
	switch {
	case talk == nil || talk.latest == nil:
		return known
	case known == nil:
		return talk.latest
	}
	order, err := resourceversion.CompareResourceVersion(known.ResourceVersion, talk.latest.ResourceVersion)
	if err != nil || order >= 0 {
		return known
	}
	return talk.latest
}

func ownedBy(scheduling *v1alpha1.PodScheduling, pod types.UID) bool {
	for _, owner := range scheduling.OwnerReferences {
		if owner.UID == pod {
			return true
		}
	}
	return false
}

func (c *cluster) rejected(pod types.UID) sets.Set[string] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod]; talk != nil {
		return talk.rejected
	}
	return nil
}

func (c *cluster) stuck(pod types.UID) sets.Set[types.UID] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod]; talk != nil {
		return talk.stuck.Clone()
	}
	return nil
}

// beyond reports whether the negotiation rests although there were nodes not covered by driver
// answers.
func (c *cluster) beyond(pod types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	talk := c.talks[pod]
	return talk != nil && talk.beyond
}

// begin starts a pod's negotiation, unless the pod is deleted: nothing would end it.
func (c *cluster) begin(pod *v1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Caches drop a pod before forget is called, which waits for the lock.
	known, err := c.pods.Pods(pod.Namespace).Get(pod.Name)
	if err == nil && known.UID == pod.UID && c.talks[pod.UID] == nil {
		c.talks[pod.UID] = &talk{}
	}
}

// remember updates a pod's negotiation, unless the pod was deleted since it began.
func (c *cluster) remember(pod *v1.Pod, change func(*talk)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	talk := c.talks[pod.UID]
	if talk == nil {
		return
	}
	change(talk)
	talk.disbelieve()
}

// disbelieve drops the last written PodScheduling if it was deleted.
func (t *talk) disbelieve() {
	if t.latest != nil && t.latest.UID == t.gone {
		t.latest = nil
	}
}

func (c *cluster) changed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// reject records nodes found unsuitable by an attempt, and the claims that excluded some of them,
// unless classes have changed since it began. It is called by remember.
func (c *cluster) reject(t *talk, since int, nodes sets.Set[string], stuck sets.Set[types.UID]) {
	if c.changes != since {
		nodes, stuck = nil, nil
	}
	t.rejected, t.stuck = nodes, stuck
}

func (c *cluster) forget(pod types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.talks, pod)
	c.delays.DeleteEntry(string(pod))
}

// forgetScheduling records the deletion of a PodScheduling.
func (c *cluster) forgetScheduling(gone *v1alpha1.PodScheduling) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, owner := range gone.OwnerReferences {
		if talk := c.talks[owner.UID]; talk != nil {
			talk.gone = gone.UID
			talk.disbelieve()
		}
	}
}

package scheduler

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// talk is what is remembered of a negotiation, from the first attempt until the pod is
// bound or gone. It is lost when the scheduler is restarted: then nodes are asked for again.
type talk struct {
	// rejected is that of classicplan.Negotiation.
	rejected sets.Set[string]
	// stuck are the claims that kept the pod from nodes that are rejected now: these are not
	// looked at any more, and a deallocation may still help.
	stuck sets.Set[types.UID]
	// latest is what the API server answered to the last write, as informers are behind.
	latest *v1alpha1.PodScheduling
	// gone is the last PodScheduling that was deleted. The news may come before the API
	// server's answer to the write, and be of that answer before informers have it.
	gone types.UID
	// beyond is that of classicplan.Rest.
	beyond bool
	// asking is the question that is being written, nil for none.
	asking *question
	// selected is the node for which the last attempt left the pod to drivers, if it did.
	selected string
}

// scheduling returns the PodScheduling of a pod as it is known, nil if there is none.
func (c *cluster) scheduling(pod *v1.Pod) *v1alpha1.PodScheduling {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := cached[*v1alpha1.PodScheduling](c.schedulings, pod.Namespace, pod.Name)
	talk := c.talks[pod.UID]
	if known != nil && (!ownedBy(known, pod.UID) || talk != nil && talk.gone == known.UID) {
		known = nil // That of a pod which had the name before, or it is gone.
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

// rejected returns the nodes that earlier rounds found unsuitable.
func (c *cluster) rejected(pod types.UID) sets.Set[string] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod]; talk != nil {
		return talk.rejected
	}
	return nil
}

// stuck are the claims that kept a pod from nodes that are rejected now.
func (c *cluster) stuck(pod types.UID) sets.Set[types.UID] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if talk := c.talks[pod]; talk != nil {
		return talk.stuck.Clone()
	}
	return nil
}

// beyond says whether the negotiation rests although there were nodes that drivers do not
// tell of.
func (c *cluster) beyond(pod types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	talk := c.talks[pod]
	return talk != nil && talk.beyond
}

// begin prepares to remember the negotiation for a pod, unless it is gone: nothing would
// end that.
func (c *cluster) begin(pod *v1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Caches lose a pod before forget is called, which waits for the lock.
	known, err := c.pods.Pods(pod.Namespace).Get(pod.Name)
	if err == nil && known.UID == pod.UID && c.talks[pod.UID] == nil {
		c.talks[pod.UID] = &talk{}
	}
}

// remember changes what is remembered of the negotiation for a pod, unless the pod was
// deleted since it began.
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

// disbelieve drops the last PodScheduling that was written if it is gone.
func (t *talk) disbelieve() {
	if t.latest != nil && t.latest.UID == t.gone {
		t.latest = nil
	}
}

// changed says how often classes have changed so far.
func (c *cluster) changed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// reject remembers nodes that an attempt has found unsuitable, and the claims that kept the pod
// from some of them, unless classes have changed since it began. It is called by remember.
func (c *cluster) reject(t *talk, since int, nodes sets.Set[string], stuck sets.Set[types.UID]) {
	if c.changes != since {
		nodes, stuck = nil, nil
	}
	t.rejected, t.stuck = nodes, stuck
}

// forget ends the negotiation for a pod.
func (c *cluster) forget(pod types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.talks, pod)
	c.delays.DeleteEntry(string(pod))
}

// forgetScheduling takes note that a PodScheduling is gone.
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

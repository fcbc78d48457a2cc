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
	"fmt"
	"strings"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

const (
	// tolerated is the time a pod tolerates the taint of its device: longer than most steps, so a
	// newly started controller must evict it.
	tolerated = 90 * time.Second
	// soonOver is the remaining time needed to check the pod.
	soonOver = 10 * time.Second
	// late is more than a running leader needs, and less than after starting the time anew.
	late = tolerated / 2
	// evictionEvent and marked are the event of a pod's eviction. If a kubelet has deleted the
	// slice, there are also events for cancelled evictions.
	evictionEvent, marked = "DeviceTaintManagerEviction", "Marking for deletion"
	// eventsKept is less than API servers keep events (--event-ttl, one hour by default). Pauses and upgrades by others
	// may take longer.
	eventsKept = 30 * time.Minute
)

// TaintSeconds has a pod's tolerationSeconds expire over the steps. The eviction is reported in one
// event, and the claim is unprepared once.
var TaintSeconds = Case{
	Meta: spec.Meta{
		ID:       "upgrade/taint-seconds",
		Checks:   "A pod tolerating a taint for some seconds is evicted by the taint's time, even if a step comes in between.",
		Requires: []spec.RequirementID{"kep-5055/toleration-seconds", "kep-5055/seconds-from-time-added", "kep-5055/evict-by-slice"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceTaints}, Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		tolerate(t, n)
	},
	// Before that, a starting kubelet may have deleted the slice with the taint for a moment, and
	// the driver has published it again with its time.
	After: func(t *harness.T, n *Notes, step path.Step) {
		if left := time.Until(toleratedUntil(t, n)); left > soonOver {
			n.unchanged(t)
			t.Expect(t.Events(tolerates(n))).NotTo(gomega.ContainElement(gomega.HavePrefix(evictionEvent+": "+marked)), "events of pod %s, %s before its time", tolerates(n), left)
			return
		}
		entered := time.Now()
		said := evictedOnce(t, n)
		// After other steps the controller may have restarted with the API server, and not lead
		// yet.
		if step.Place.Component == path.ControllerManager {
			latest := toleratedUntil(t, n)
			if latest.Before(entered) {
				latest = entered
			}
			t.Expect(said).To(gomega.BeTemporally("<", latest.Add(late)), "when pod %s was evicted", tolerates(n))
		}
		tolerate(t, n)
	},
	Gone: func(t *harness.T, n *Notes) { evictedOnce(t, n) },
}

func tolerates(n *Notes) string { return fmt.Sprintf("tolerates-%d", n.Round) }

func tolerate(t *harness.T, n *Notes) {
	n.Round++
	simdriver.Of(t).Publish(profiles.OneDevice())
	name := tolerates(n)
	t.Create(objects.Tolerating(objects.Claim(name, one(t.DriverName())), ptr.To(int64(tolerated.Seconds()))))
	t.RunPod(objects.Pod(name, t.Image, name))
	n.note(t, name, name)
	now := metav1.Now().Rfc3339Copy()
	n.Answers = map[string]string{taintedAt: now.Format(time.RFC3339)}
	simdriver.Of(t).Publish(profiles.Tainted(profiles.OneDevice(), resourceapi.DeviceTaint{Key: profiles.TaintKey, Effect: resourceapi.DeviceTaintEffectNoExecute, TimeAdded: &now}))
}

// taintedAt is the key of the taint's time in the notes.
const taintedAt = "tainted at"

// toleratedUntil returns when the pod of the round is to be evicted.
func toleratedUntil(t *harness.T, n *Notes) time.Time {
	at, err := time.Parse(time.RFC3339, n.Answers[taintedAt])
	t.NoError(err, "read when the device was tainted")
	return at.Add(tolerated)
}

// evictedOnce waits until the pod of the round is gone and its claim released. It returns the time of the eviction.
func evictedOnce(t *harness.T, n *Notes) time.Time {
	name, said := tolerates(n), awaitEviction(t, n)
	awaitUnprepared(t, name)
	t.WaitDeallocated(name)
	simdriver.Of(t).ExpectCalls(spec.Unprepare, name, 1, "")
	deleteClaim(t, name)
	n.forget(name, name)
	return said
}

// awaitEviction waits until the pod of the round is gone, and checks time and number of its eviction events, if they
// are still kept. It returns the first event's time, or else when the pod was to be evicted.
func awaitEviction(t *harness.T, n *Notes) time.Time {
	name, until := tolerates(n), toleratedUntil(t, n)
	if time.Since(until) > eventsKept {
		t.WaitPodGone(name)
		return until
	}
	said := t.WaitEvent(name, evictionEvent, marked)
	t.Expect(said).To(gomega.BeTemporally(">=", until), "when pod %s was evicted", name)
	t.WaitPodGone(name)
	evictions := 0
	for _, event := range t.Events(name) {
		if strings.HasPrefix(event, evictionEvent+": "+marked) {
			evictions++
		}
	}
	t.Expect(evictions).To(gomega.Equal(1), "eviction events of pod %s", name)
	return said
}

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

package controller_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// late delays a kind's watch events by a second, as happens with many new pods.
func late(api *clienttesting.Fake, resource string) {
	prompt := api.WatchReactionChain[0]
	api.PrependWatchReactor(resource, func(action clienttesting.Action) (bool, watch.Interface, error) {
		handled, w, err := prompt.React(action)
		if err != nil {
			return handled, w, err
		}
		return handled, watch.Filter(w, func(event watch.Event) (watch.Event, bool) {
			time.Sleep(time.Second)
			return event, true
		}), nil
	})
}

// Before the watch event of its own write arrived, the controller took its allocation as cleared by
// another client, read the record and tried to revoke the allocation, and was rejected; it also
// repeated its answer, in vain. For 1000 pods it sent twice the requests.
func TestOwnWritesAreKnownAtOnce(t *testing.T) {
	story(t, func(c *cluster) {
		late(&c.Fake, "resourceclaims")
		late(c.classic.Fake, "podschedulings")
		c.start()
		c.schedule("p", "a", "a")
		for range 30 { // the scheduler reports again and again why the pod waits
			time.Sleep(100 * time.Millisecond)
			pod := c.pod("p").DeepCopy()
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()}}
			_, err := c.CoreV1().Pods("ns").UpdateStatus(c.Ctx, pod, metav1.UpdateOptions{})
			c.Must(err)
		}
		time.Sleep(10 * time.Second) // Drain late events before the story ends.
		if c.node("c") != "a" {
			t.Fatalf("the claim is allocated on %q", c.node("c"))
		}
		if n := c.Calls("update", "resourceclaims"); n != 2 {
			t.Errorf("the claim was updated %d times, want twice: for the finalizer, and for the allocation", n)
		}
		answers := 0
		for _, action := range c.classic.Actions() {
			if action.Matches("update", "podschedulings/status") {
				answers++
			}
		}
		if answers != 1 {
			t.Errorf("there were %d answers, want one", answers)
		}
	}, newClaim("c", ""), newPod("p", "c"))
}

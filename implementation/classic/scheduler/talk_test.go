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
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// answerTime is the delay of API server responses, without advancing the world's clock.
const answerTime = time.Second

// A pod is deleted, and the scheduler knows, before the API server's response arrives.
func TestPodIsDeletedWhileItIsAskedFor(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.plugin.cluster.classic = lateAnswers{w.classic, func(string) {
			w.Must(w.CoreV1().Pods("ns").Delete(w.Ctx, "pod", metav1.DeleteOptions{}))
			time.Sleep(answerTime)
		}}
		w.settle()
		w.wantTalks(0)
		w.settleFor(2 * answerTime)
		w.wantTalks(0)
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// A pod is deleted before its attempt begins, or is bound: no state is kept.
func TestNothingIsRememberedOfPodsThatAreDone(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		late := w.pod("late")
		w.settle()
		w.wantTalks(2)
		w.end("late")
		w.wantTalks(1)
		w.plugin.PreFilter(w.Ctx, newCycle(), late, nil)
		w.wantTalks(1)
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.wantNodes(map[string]string{"pod": "b"}) // the other one had a selected
		w.wantTalks(0)
	}, newClaim("claim", "one", ""), newPod("pod", "claim"), newClaim("other", "one", ""), newPod("late", "other"))
}

// The PodScheduling is deleted, and the scheduler knows, before the API server's response arrives.
// Trusting the response would wait forever.
func TestPodSchedulingIsDeletedWhileItIsWritten(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		deleted := false
		w.plugin.cluster.classic = lateAnswers{w.classic, func(name string) {
			if !deleted {
				deleted = true
				w.Must(w.classic.PodSchedulings("ns").Delete(w.Ctx, name, metav1.DeleteOptions{}))
				time.Sleep(answerTime)
			}
		}}
		w.settle()
		w.settleFor(2 * answerTime)
		if !deleted || w.scheduling("pod") == nil {
			t.Fatalf("drivers are not asked again, PodScheduling deleted: %t", deleted)
		}
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.wantNodes(map[string]string{"pod": "a"})
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// wantTalks checks the number of negotiations.
func (w *world) wantTalks(want int) {
	w.Helper()
	w.plugin.cluster.mu.Lock()
	defer w.plugin.cluster.mu.Unlock()
	if got := len(w.plugin.cluster.talks); got != want {
		w.Errorf("%d negotiations are remembered, want %d", got, want)
	}
}

// lateAnswers is a client running a hook between the creation of a PodScheduling and the response.
type lateAnswers struct {
	client.Interface
	created func(name string)
}

type schedulings = client.Objects[*v1alpha1.PodScheduling, *v1alpha1.PodSchedulingList]

func (c lateAnswers) PodSchedulings(namespace string) schedulings {
	return lateSchedulings{c.Interface.PodSchedulings(namespace), c.created}
}

type lateSchedulings struct {
	schedulings
	created func(name string)
}

func (s lateSchedulings) Create(ctx context.Context, object *v1alpha1.PodScheduling, options metav1.CreateOptions) (*v1alpha1.PodScheduling, error) {
	written, err := s.schedulings.Create(ctx, object, options)
	s.created(object.Name)
	return written, err
}

package scheduler

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// The API server takes its time: other pods are tried, of which each counts which nodes the
// others ask for, and what makes a pod worth trying meanwhile is not lost.
func TestPodsAreTriedWhileOthersAreAskedFor(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.plugin.cluster.classic = lateAnswers{w.classic, func(string) { time.Sleep(answerTime) }}
		w.settle()
		w.wantNodes(map[string]string{"one": "", "two": "", "plain": "a"})
		// The class suits one node only; the nodes that pods ask for are others, or may be.
		w.suits("one", "c")
		w.settle()
		if !strings.Contains(w.last["one"], "are being asked") {
			t.Errorf("one: %s", w.last["one"])
		}
		time.Sleep(2 * answerTime)
		w.settle()
		w.wantSelected("one", "c")
		w.startDriver("one", sampledriver.Config{Devices: 2})
		w.settle()
		w.wantNodes(map[string]string{"one": "c", "two": "c"})
	}, newClaim("first", "one", ""), newPod("one", "first"), newClaim("second", "one", ""), newPod("two", "second"), newPod("plain"))
}

// Why a question could not be written is told, once, and the pod is tried again.
func TestAskingFails(t *testing.T) {
	story(t, func(w *world) {
		failures := 0
		w.classic.PrependReactor("create", "podschedulings", func(clienttesting.Action) (bool, runtime.Object, error) {
			failures++
			return failures <= 2, nil, errors.New("no space left")
		})
		w.startScheduler()
		var told []string
		w.beforeAttempt = func() { told = append(told, w.last["pod"]) }
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.wantNodes(map[string]string{"pod": "a"})
		count := strings.Count(strings.Join(told, "\n"), "no space left")
		if count != 2 || w.attempts != 6 {
			t.Errorf("told %d times of 2 failures, %d attempts: %q", count, w.attempts, told)
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

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
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// During the drivers' turn, a pod is retried only for a change drivers do not see: the selected
// node may no longer be suitable. A relabeled node was missed.
func TestHintsWhileADriverIsAsked(t *testing.T) {
	story(t, func(w *world) {
		w.suits("one", "a")
		w.startScheduler()
		w.settle()
		w.wantSelected("pod", "a")
		node := func(name, label string) *v1.Node {
			return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": label}}}
		}
		for _, row := range []struct {
			name          string
			hint          fwk.QueueingHintFn
			before, after any
			want          fwk.QueueingHint
		}{
			{"selected node is the same", w.plugin.afterNodeChange, node("a", "a"), node("a", "a"), fwk.QueueSkip},
			{"selected node has other labels", w.plugin.afterNodeChange, node("a", "a"), node("a", "x"), fwk.Queue},
			{"selected node is gone", w.plugin.afterNodeChange, node("a", "a"), nil, fwk.Queue},
			{"another node has other labels", w.plugin.afterNodeChange, node("b", "b"), node("b", "x"), fwk.QueueSkip},
			{"another node is gone", w.plugin.afterNodeChange, node("b", "b"), nil, fwk.QueueSkip},
			{"there is a new node", w.plugin.afterNodeChange, nil, node("d", "d"), fwk.QueueSkip},
			{"the device class is another", w.plugin.afterClassChange, deviceClass("one"), deviceClass("one"), fwk.Queue},
		} {
			if got, err := row.hint(klog.Background(), w.pod("pod"), row.before, row.after); err != nil || got != row.want {
				t.Errorf("%s: got %v, %v, want %v", row.name, got, err, row.want)
			}
		}
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.wantNodes(map[string]string{"pod": "a"})
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

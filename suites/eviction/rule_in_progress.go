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

package eviction

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleInProgress has a rule for a pod with tolerationSeconds, and one for no pod.
var RuleInProgress = harness.Case{Meta: spec.Meta{
	ID:       "eviction/rule-in-progress",
	Checks:   "EvictionInProgress of a DeviceTaintRule is True while evictions are pending, and False otherwise.",
	Requires: []spec.RequirementID{"kep-5055/rule-says-what-it-does"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
	WaitsFor: "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], named("pod"), named("free"))
	tolerant(t, class, "pod", forSeconds(15))
	finalizers(t, "pod", `["example.com/terminates-later"]`) // an evicted pod is not pending while it terminates (kubernetes#135611)
	rule := func(device string, effect resourceapi.DeviceTaintEffect) *resourceapi.DeviceTaintRule {
		r := objects.TaintRule(device+"-"+t.DriverName(), t.DriverName(), broken(effect))
		r.Spec.DeviceSelector.Device = &device
		return r
	}
	probe := rule("pod", resourceapi.DeviceTaintEffectNone)
	probe.Name = "probe-" + probe.Name
	untilCounted(t, probe, 1) // rules include this pod from here on

	free, used := rule("free", resourceapi.DeviceTaintEffectNoExecute), rule("pod", resourceapi.DeviceTaintEffectNoExecute)
	t.Create(free, used)
	waitInProgress(t, used, 1, metav1.ConditionTrue)
	waitNotInProgress(t, free, 1)
	t.WaitPod("pod", "evicted", func(p *corev1.Pod) (bool, error) { return p.DeletionTimestamp != nil, nil })
	waitNotInProgress(t, used, 1)
	finalizers(t, "pod", "null")
	t.WaitPodGone("pod")
}}

// finalizers replaces the finalizers of a pod.
func finalizers(t *harness.T, pod, all string) {
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), pod, types.MergePatchType, []byte(`{"metadata":{"finalizers":`+all+`}}`), metav1.PatchOptions{})
	t.NoError(err, "change the finalizers of pod %s", pod)
}

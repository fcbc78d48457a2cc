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

package objects

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestTemplated(t *testing.T) {
	var template map[string]any
	text := `{"tolerations": [{"key": "gpu", "operator": "Exists"}], "nodeSelector": {"pool": "gpu"}, "imagePullSecrets": [{"name": "registry"}],
		"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}}},
		"runtimeClassName": "kata", "priorityClassName": "high", "securityContext": {"runAsUser": 1000, "fsGroup": 7},
		"volumes": [{"name": "ca", "configMap": {"name": "ca"}}],
		"containers": [{"name": "*", "securityContext": {"allowPrivilegeEscalation": false}, "volumeMounts": [{"name": "ca", "mountPath": "/ca"}]}]}`
	if err := json.Unmarshal([]byte(text), &template); err != nil {
		t.Fatal(err)
	}
	pod := OnlyOn(Pod("pod", "image", "claim"), "node")
	pod.Spec.Tolerations = []corev1.Toleration{{Key: "mine"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "own"}}
	pod.Spec.InitContainers = []corev1.Container{Container("first", "image", "true")}
	before := pod.DeepCopy()
	got, err := Templated(pod, template)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, pod); d != "" {
		t.Errorf("the pod itself was changed: %s", d)
	}
	s := got.Spec
	if len(s.Tolerations) != 2 || s.NodeSelector["pool"] != "gpu" || len(s.ImagePullSecrets) != 1 || *s.RuntimeClassName != "kata" || s.PriorityClassName != "high" || *s.SecurityContext.RunAsUser != 1000 || len(s.Volumes) != 2 {
		t.Errorf("lacks something of the template: %+v", s)
	}
	if d := cmp.Diff(pod.Spec.Affinity, s.Affinity); d != "" {
		t.Errorf("the node of the case: %s", d)
	}
	for i, c := range []corev1.Container{s.Containers[0], s.InitContainers[0]} {
		was := []corev1.Container{pod.Spec.Containers[0], pod.Spec.InitContainers[0]}[i]
		if c.Name != was.Name || cmp.Diff(c.Command, was.Command) != "" || cmp.Diff(c.Resources, was.Resources) != "" || *c.SecurityContext.AllowPrivilegeEscalation || len(c.VolumeMounts) != 1 {
			t.Errorf("container %s: %+v", was.Name, c)
		}
	}
	if got, err := Templated(pod, nil); err != nil || got != pod {
		t.Errorf("without a template: %v, %v", got, err)
	}
}

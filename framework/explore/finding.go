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

package explore

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/problem"
)

// writeFinding writes a problem's objects to a file, with violations and outcome in comments.
func writeFinding(dir, name string, f Finding, t *trial) (string, error) {
	var text strings.Builder
	text.WriteString(comment(fmt.Sprintf("Problem %d: the scheduler breaks a promise of the API.\nTry it again: dratest explore --replay %s", f.Number, name)))
	for _, v := range f.Violations {
		text.WriteString(comment("Expected: " + v.Promise + " (" + v.Cites + ")\nActual:   " + v.Object + ": " + v.What))
	}
	if t.binder != nil {
		text.WriteString(comment("dratest sets the binding conditions. The first allocation of a device with the failure condition " + problem.FailsFirst + " fails."))
	}
	text.WriteString(comment("Outcome:\n" + t.describe()))
	for _, object := range t.objects() {
		data, err := yaml.Marshal(object)
		if err != nil {
			return "", fmt.Errorf("write finding: %w", err)
		}
		text.WriteString("---\n" + string(data))
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
		return "", fmt.Errorf("write finding: %w", err)
	}
	return name, nil
}

// describe returns one line per pod and claim.
func (t *trial) describe() string {
	var lines strings.Builder
	for _, pod := range t.outcome.Pods {
		node := "on node " + pod.Node
		if pod.Node == "" {
			node = "waits: " + t.reasons[pod.Name]
		}
		fmt.Fprintf(&lines, "pod %s: %s\n", pod.Name, node)
	}
	for _, claim := range t.outcome.Claims {
		allocation := "not allocated"
		if a := claim.Status.Allocation; a != nil {
			if data, err := json.Marshal(a); err == nil {
				allocation = string(data)
			}
		}
		fmt.Fprintf(&lines, "claim %s: %s\n", claim.Name, allocation)
	}
	return lines.String()
}

// plain drops metadata added by the API server.
func plain(m metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, Labels: m.Labels}
}

// objects returns the trial's objects in creation order, as a user would write them.
func (t *trial) objects() []runtime.Object {
	var all []runtime.Object
	add := func(kind string, o runtime.Object) {
		o.GetObjectKind().SetGroupVersionKind(resourceapi.SchemeGroupVersion.WithKind(kind))
		all = append(all, o)
	}
	p := t.problem.Copy()
	for i := range p.Nodes {
		node := nodeObject(&p.Nodes[i])
		node.APIVersion, node.Kind = "v1", "Node"
		all = append(all, node)
	}
	for i := range p.Classes {
		p.Classes[i].ObjectMeta = plain(p.Classes[i].ObjectMeta)
		add("DeviceClass", &p.Classes[i])
	}
	for i := range p.Slices {
		p.Slices[i].ObjectMeta = plain(p.Slices[i].ObjectMeta)
		add("ResourceSlice", &p.Slices[i])
	}
	for i := range p.Rules {
		p.Rules[i].ObjectMeta = plain(p.Rules[i].ObjectMeta)
		add("DeviceTaintRule", &p.Rules[i])
	}
	for _, claims := range [][]resourceapi.ResourceClaim{p.Allocated, p.Claims} {
		for i := range claims {
			claims[i].ObjectMeta = plain(claims[i].ObjectMeta)
			add("ResourceClaim", &claims[i])
		}
	}
	for _, pod := range p.Pods {
		object := podObject(pod, t.id, t.namespace.Name)
		object.APIVersion, object.Kind = "v1", "Pod"
		all = append(all, object)
	}
	return all
}

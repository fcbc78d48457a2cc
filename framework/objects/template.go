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
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Templated returns a pod merged with a template of its spec (spec.Workload). The pod wins; tolerations of both apply.
func Templated(pod *corev1.Pod, template map[string]any) (*corev1.Pod, error) {
	if len(template) == 0 {
		return pod, nil
	}
	base, each := maps.Clone(template), map[string]any{}
	if containers, ok := base["containers"].([]any); ok && len(containers) > 0 {
		if of, ok := containers[0].(map[string]any); ok {
			each = maps.Clone(of)
			delete(each, "name")
		}
	}
	delete(base, "containers")
	merged := pod.DeepCopy()
	if err := merge(base, pod.Spec, &merged.Spec); err != nil {
		return nil, fmt.Errorf("merge pod %s with the template: %w", pod.Name, err)
	}
	of, err := TemplateSpec(base)
	if err != nil {
		return nil, err
	}
	merged.Spec.Tolerations = slices.Concat(of.Tolerations, pod.Spec.Tolerations)
	for _, list := range [][]corev1.Container{merged.Spec.InitContainers, merged.Spec.Containers} {
		for i, c := range list {
			if err := merge(each, c, &list[i]); err != nil {
				return nil, fmt.Errorf("merge container %s of pod %s with the template: %w", c.Name, pod.Name, err)
			}
		}
	}
	return merged, nil
}

// merge applies the fields of over to those of base.
func merge[T any](base map[string]any, over T, into *T) error {
	original, err := json.Marshal(base)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(over)
	if err != nil {
		return err
	}
	var schema, result T
	data, err := strategicpatch.StrategicMergePatch(original, patch, schema)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return err
	}
	*into = result
	return nil
}

// TemplateSpec decodes a template.
func TemplateSpec(template map[string]any) (of corev1.PodSpec, err error) {
	data, err := json.Marshal(template)
	if err == nil {
		err = json.Unmarshal(data, &of)
	}
	if err != nil {
		return of, fmt.Errorf("read the pod template: %w", err)
	}
	return of, nil
}

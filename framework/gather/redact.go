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

package gather

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// leftOut replaces confidential values.
const leftOut = "(left out)"

// Pod returns a pod's DRA-related fields without confidential values: only names of environment variables, and no
// commands, probes, annotations or termination messages.
func Pod(p *corev1.Pod) *corev1.Pod {
	reported := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name, Namespace: p.Namespace, UID: p.UID, ResourceVersion: p.ResourceVersion, Generation: p.Generation,
			CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp, Labels: p.Labels,
			OwnerReferences: p.OwnerReferences, Finalizers: p.Finalizers,
		},
		Spec: corev1.PodSpec{
			NodeName: p.Spec.NodeName, SchedulerName: p.Spec.SchedulerName, NodeSelector: p.Spec.NodeSelector, Affinity: p.Spec.Affinity,
			Tolerations: p.Spec.Tolerations, ResourceClaims: p.Spec.ResourceClaims, Resources: p.Spec.Resources,
			SchedulingGates: p.Spec.SchedulingGates, RestartPolicy: p.Spec.RestartPolicy, Priority: p.Spec.Priority,
		},
		Status: *p.Status.DeepCopy(),
	}
	for _, c := range p.Spec.InitContainers {
		reported.Spec.InitContainers = append(reported.Spec.InitContainers, container(c))
	}
	for _, c := range p.Spec.Containers {
		reported.Spec.Containers = append(reported.Spec.Containers, container(c))
	}
	for _, statuses := range [][]corev1.ContainerStatus{reported.Status.InitContainerStatuses, reported.Status.ContainerStatuses, reported.Status.EphemeralContainerStatuses} {
		for i := range statuses {
			for _, state := range []*corev1.ContainerState{&statuses[i].State, &statuses[i].LastTerminationState} {
				// It may have the end of the container's own output.
				if state.Terminated != nil && state.Terminated.Message != "" {
					state.Terminated.Message = leftOut
				}
			}
		}
	}
	return reported
}

func container(c corev1.Container) corev1.Container {
	reported := corev1.Container{Name: c.Name, Image: c.Image, Resources: c.Resources, RestartPolicy: c.RestartPolicy}
	for _, e := range c.Env {
		reported.Env = append(reported.Env, corev1.EnvVar{Name: e.Name, Value: leftOut})
	}
	return reported
}

// Clean removes irrelevant fields and free-form content from an object and its template: annotations, driver parameters,
// and the data that drivers report for devices.
func Clean(content any) {
	switch c := content.(type) {
	case map[string]any:
		if metadata, ok := c["metadata"].(map[string]any); ok {
			delete(metadata, "managedFields")
			delete(metadata, "annotations")
		}
		if opaque, ok := c["opaque"].(map[string]any); ok && opaque["parameters"] != nil {
			opaque["parameters"] = leftOut
		}
		if status, ok := c["status"].(map[string]any); ok {
			cleanDevices(status["devices"])
		}
		for _, value := range c {
			Clean(value)
		}
	case []any:
		for _, value := range c {
			Clean(value)
		}
	}
}

func cleanDevices(devices any) {
	list, _ := devices.([]any)
	for _, d := range list {
		if device, ok := d.(map[string]any); ok && device["data"] != nil {
			device["data"] = leftOut
		}
	}
}

// CDI returns a CDI spec without the values of environment variables, annotations and mount options, and without the
// arguments of hooks. Errors: it is neither JSON nor YAML.
func CDI(spec []byte) ([]byte, error) {
	var content any
	if err := yaml.Unmarshal(spec, &content); err != nil {
		return nil, err
	}
	return yaml.Marshal(withoutValues(content))
}

// withoutValues removes confidential values from a CDI spec. Parsers of CDI specs ignore the case of keys.
func withoutValues(content any) any {
	switch c := content.(type) {
	case map[string]any:
		for key, value := range c {
			switch strings.ToLower(key) {
			case "env", "options":
				c[key] = withoutAssigned(value, strings.EqualFold(key, "env"))
			case "args", "annotations":
				c[key] = eachLeftOut(value)
			default:
				c[key] = withoutValues(value)
			}
		}
	case []any:
		for i := range c {
			c[i] = withoutValues(c[i])
		}
	}
	return content
}

// withoutAssigned removes the values after "=" from a list of strings. Elements without "=" are kept, unless always is
// set.
func withoutAssigned(content any, always bool) any {
	list, ok := content.([]any)
	if !ok {
		return leftOut
	}
	for i, v := range list {
		text, isText := v.(string)
		name, _, assigned := strings.Cut(text, "=")
		switch {
		case !isText || text == leftOut:
			list[i] = leftOut
		case assigned || always:
			list[i] = name + "=" + leftOut
		}
	}
	return list
}

// eachLeftOut replaces each element of a list and each value of an object.
func eachLeftOut(content any) any {
	switch c := content.(type) {
	case map[string]any:
		for key := range c {
			c[key] = leftOut
		}
	case []any:
		for i := range c {
			c[i] = leftOut
		}
	default:
		return leftOut
	}
	return content
}

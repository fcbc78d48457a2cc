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
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// leftOut replaces confidential values.
const leftOut = "(left out)"

// minSecret is the minimum length of values to remove from logs: shorter ones are common words.
const minSecret = 8

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

// Clean removes irrelevant fields, annotations and driver parameters from an object, and from a template in it: the
// latter two may have any content.
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
		for _, value := range c {
			Clean(value)
		}
	case []any:
		for _, value := range c {
			Clean(value)
		}
	}
}

// CDI returns a CDI spec without the values of environment variables. Errors: it is neither JSON nor YAML.
func CDI(spec []byte) ([]byte, error) {
	var content any
	if err := yaml.Unmarshal(spec, &content); err != nil {
		return nil, err
	}
	return yaml.Marshal(withoutValues(content))
}

// withoutValues replaces the values of lists named "env".
func withoutValues(content any) any {
	switch c := content.(type) {
	case map[string]any:
		for key, value := range c {
			list, ok := value.([]any)
			if !ok || key != "env" {
				c[key] = withoutValues(value)
				continue
			}
			for i, v := range list {
				name, _, _ := strings.Cut(toText(v), "=")
				list[i] = name + "=" + leftOut
			}
		}
	case []any:
		for i := range c {
			c[i] = withoutValues(c[i])
		}
	}
	return content
}

func toText(v any) string {
	s, _ := v.(string)
	return s
}

var token = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+`)

// Scrubber removes tokens, and the values Pod removes, from texts: the scheduler's log may have a whole pod.
type Scrubber struct{ values *strings.Replacer }

// NewScrubber collects the environment values of all containers of these pods, and the commands and annotations of
// all but the control plane's, whose flags explain its logs: those with at least eight characters, except the given
// names, which are published anyway.
func NewScrubber(pods []corev1.Pod, names map[string]bool) Scrubber {
	var secret []string
	add := func(values ...string) {
		for _, value := range values {
			for _, part := range append(strings.Split(value, "\n"), value) {
				if part = strings.TrimSpace(part); len(part) >= minSecret && !names[part] {
					// Logs have it as is, quoted, or in a quoted object.
					secret = append(secret, part, quoted(part), quoted(quoted(part)))
				}
			}
		}
	}
	container := func(p *corev1.Pod, env []corev1.EnvVar, commands ...[]string) {
		for _, e := range env {
			add(e.Value)
		}
		if p.Namespace != metav1.NamespaceSystem {
			add(slices.Concat(commands...)...)
		}
	}
	for i := range pods {
		p := &pods[i]
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			container(p, c.Env, c.Command, c.Args)
		}
		for _, c := range p.Spec.EphemeralContainers {
			container(p, c.Env, c.Command, c.Args)
		}
		if p.Namespace != metav1.NamespaceSystem {
			add(slices.Collect(maps.Values(p.Annotations))...)
		}
	}
	slices.Sort(secret)
	// The longest of values with a common prefix must match.
	slices.SortStableFunc(secret, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range slices.Compact(secret) {
		pairs = append(pairs, s, leftOut)
	}
	return Scrubber{strings.NewReplacer(pairs...)}
}

func quoted(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// Scrub removes known values from a text; the zero Scrubber only removes tokens.
func (s Scrubber) Scrub(text []byte) []byte {
	if s.values == nil {
		return token.ReplaceAll(text, []byte(leftOut))
	}
	return token.ReplaceAll([]byte(s.values.Replace(string(text))), []byte(leftOut))
}

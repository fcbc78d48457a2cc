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

package declarations

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"

	"github.com/dra-conformance/dratest/framework/spec"
)

// podFields and containerFields are those that belong to the cases.
func podFields() []string {
	return []string{"activeDeadlineSeconds", "ephemeralContainers", "hostname", "initContainers", "nodeName", "resourceClaims", "resources", "restartPolicy"}
}

func containerFields() []string {
	return []string{"args", "command", "image", "lifecycle", "livenessProbe", "ports", "readinessProbe", "resources", "restartPolicy", "startupProbe"}
}

// checkPods checks the template of pods and the metadata of their namespaces.
func (d Declaration) checkPods(c *checker) {
	const at = "workload.template"
	if errs := strictly(d.Workload.Template, &corev1.PodSpec{}); len(errs) > 0 {
		for _, err := range errs {
			c.say(at, "is no pod spec: %v", err)
		}
		return
	}
	for _, field := range podFields() {
		if _, set := d.Workload.Template[field]; set {
			c.say(at+"."+field, "must not be set: each case has its own")
		}
	}
	if containers, ok := d.Workload.Template["containers"].([]any); ok {
		var each map[string]any
		if len(containers) > 0 {
			each, _ = containers[0].(map[string]any) // a PodSpec has no others
		}
		if len(containers) != 1 || each["name"] != spec.EachContainer {
			c.say(at+".containers", "must be one with the name %q, for all containers", spec.EachContainer)
		}
		for _, field := range containerFields() {
			if _, set := each[field]; set {
				c.say(at+".containers", "%s must not be set: each case has its own", field)
			}
		}
	}
	if by, set := d.Namespace.Labels[spec.LabelManagedBy]; set && by != spec.ManagedBy {
		c.say("namespace.labels", "%s is dratest's", spec.LabelManagedBy)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Namespace.Labels)) {
		for _, problem := range slices.Concat(validation.IsQualifiedName(name), validation.IsValidLabelValue(d.Namespace.Labels[name])) {
			c.say("namespace.labels", "%s: %s", name, problem)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Namespace.Annotations)) {
		for _, problem := range validation.IsQualifiedName(strings.ToLower(name)) {
			c.say("namespace.annotations", "%s: %s", name, problem)
		}
	}
	for name, h := range d.Hooks.All() {
		if level := d.Namespace.Labels[spec.PodSecurity]; h.RunsOn == OnNode && level != "" && level != "privileged" {
			c.say("namespace.labels", "%s must be privileged: hooks.%s runs in a privileged pod", spec.PodSecurity, name)
		}
	}
}

// strictly decodes a value and returns errors for unknown fields and wrong types. Unlike encoding/json, it does not take
// NodeName for nodeName.
func strictly(value map[string]any, into any) []error {
	data, err := json.Marshal(value)
	if err != nil {
		return []error{fmt.Errorf("keys must be texts: %w", err)}
	}
	errs, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

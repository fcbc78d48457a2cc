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
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"

	"github.com/dra-conformance/dratest/framework/spec"
)

// reasons not to set a field.
const (
	ofCase     = "each case has its own"
	notPlaced  = "pods would not be scheduled"
	newAccount = "namespaces are new and have the account default only"
	neverReady = "pods would never be ready"
)

// podFields and containerFields would break what cases need.
func podFields() map[string]string {
	return map[string]string{
		"activeDeadlineSeconds": ofCase, "ephemeralContainers": ofCase, "hostname": ofCase, "initContainers": ofCase, "nodeName": ofCase, "resourceClaims": ofCase, "resources": ofCase, "restartPolicy": ofCase,
		"schedulingGates": notPlaced, "schedulerName": "cases test the default scheduler, and other schedulers may ignore claims",
		"serviceAccount": newAccount, "serviceAccountName": newAccount, "readinessGates": neverReady,
		"os": "cases run on Linux", "shareProcessNamespace": "workload commands read process 1 of their container",
		"priority": "set priorityClassName: the API server rejects other numbers", "overhead": "set runtimeClassName: the API server rejects other values",
		"schedulingGroup": notPlaced, "workloadRef": notPlaced,
	}
}

func containerFields() map[string]string {
	fields := map[string]string{}
	for _, name := range []string{"args", "command", "image", "lifecycle", "livenessProbe", "ports", "readinessProbe", "resources", "restartPolicy", "startupProbe"} {
		fields[name] = ofCase
	}
	return fields
}

// ParsePodTemplate reads a pod spec for the pods of cases, like workload.template. For agents it may have resources.
func ParsePodTemplate(data []byte, agents bool) (map[string]any, error) {
	var template map[string]any
	if err := yaml.Unmarshal(data, &template); err != nil {
		return nil, fmt.Errorf("is no pod spec: %w", err)
	}
	if line := secondDocument(data); line > 0 {
		return nil, fmt.Errorf("line %d: must be one document: this is a second one", line)
	}
	var errs []error
	checkTemplate(template, agents, func(at, text string) {
		errs = append(errs, errors.New(strings.TrimPrefix(strings.TrimPrefix(at+": "+text, ": "), ".")))
	})
	return template, errors.Join(errs...)
}

// checkTemplate reports all problems with their path below the template.
func checkTemplate(template map[string]any, agents bool, say func(at, text string)) {
	if errs := strictly(template, &corev1.PodSpec{}); len(errs) > 0 {
		for _, err := range errs {
			say("", fmt.Sprintf("is no pod spec: %v", err))
		}
		return
	}
	reserved, ofContainer := podFields(), containerFields()
	if agents {
		delete(reserved, "resources")
		delete(ofContainer, "resources")
	}
	for _, field := range slices.Sorted(maps.Keys(reserved)) {
		if _, set := template[field]; set {
			say("."+field, "must not be set: "+reserved[field])
		}
	}
	containers, ok := template["containers"].([]any)
	if !ok {
		return
	}
	var each map[string]any
	if len(containers) > 0 {
		each, _ = containers[0].(map[string]any) // a PodSpec has no others
	}
	if len(containers) != 1 || each["name"] != spec.EachContainer {
		say(".containers", fmt.Sprintf("must be one with the name %q, for all containers", spec.EachContainer))
	}
	for _, field := range slices.Sorted(maps.Keys(ofContainer)) {
		if _, set := each[field]; set {
			say(".containers", field+" must not be set: "+ofContainer[field])
		}
	}
}

// checkPods checks the template of pods and the metadata of their namespaces.
func (d Declaration) checkPods(c *checker) {
	checkTemplate(d.Workload.Template, false, func(at, text string) { c.say("workload.template"+at, "%s", text) })
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

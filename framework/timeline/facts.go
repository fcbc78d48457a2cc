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

package timeline

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fact is a named value of an object that may change.
type Fact struct{ Name, Value string }

// Change describes how facts changed; empty if they did not.
func Change(before, after []Fact) string {
	var parts []string
	for _, now := range after {
		was, had := valueOf(before, now.Name)
		switch {
		case !had:
			parts = append(parts, strings.TrimSpace(now.Name+" "+now.Value))
		case was != now.Value:
			parts = append(parts, fmt.Sprintf("%s %s → %s", now.Name, was, now.Value))
		}
	}
	for _, was := range before {
		if _, has := valueOf(after, was.Name); !has {
			parts = append(parts, "not "+strings.TrimSpace(was.Name+" "+was.Value)+" any more")
		}
	}
	return strings.Join(parts, "; ")
}

func valueOf(facts []Fact, name string) (value string, found bool) {
	i := slices.IndexFunc(facts, func(f Fact) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return facts[i].Value, true
}

// Pod returns the DRA-related facts about a pod, and its state in a word.
func Pod(p *corev1.Pod) (facts []Fact, state string) {
	state = string(p.Status.Phase)
	facts = append(facts, Fact{"phase", state})
	if p.Status.Reason != "" {
		facts = append(facts, Fact{"reason", strings.TrimSpace(p.Status.Reason + " " + p.Status.Message)})
	}
	if p.Spec.NodeName != "" {
		facts = append(facts, Fact{"on node", p.Spec.NodeName})
	}
	for _, c := range p.Status.Conditions {
		switch c.Type {
		case corev1.ContainersReady: // repeats the containers
		case corev1.PodReady:
			facts = append(facts, Fact{string(c.Type), string(c.Status)})
		default:
			facts = append(facts, Fact{string(c.Type), because(string(c.Status), c.Reason, c.Message)})
		}
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		facts = append(facts, Fact{"container " + c.Name, container(c.State)})
	}
	for _, s := range p.Status.ResourceClaimStatuses {
		if s.ResourceClaimName != nil {
			facts = append(facts, Fact{"its claim " + s.Name, "is " + *s.ResourceClaimName})
		}
	}
	if p.DeletionTimestamp != nil {
		facts, state = append(facts, Fact{Name: "being deleted"}), "Terminating"
	}
	return facts, state
}

func container(s corev1.ContainerState) string {
	switch {
	case s.Running != nil:
		return "runs"
	case s.Terminated != nil:
		return fmt.Sprintf("ended with %d (%s)", s.Terminated.ExitCode, s.Terminated.Reason)
	case s.Waiting != nil:
		return because("waits", s.Waiting.Reason, s.Waiting.Message)
	default:
		return "waits"
	}
}

// because adds the reason, if known.
func because(what, reason, message string) string {
	if why := strings.Trim(reason+": "+message, ": "); why != "" {
		return fmt.Sprintf("%s (%s)", what, why)
	}
	return what
}

// Claim returns the facts about a claim, and its state in a word.
func Claim(c *resourceapi.ResourceClaim) (facts []Fact, state string) {
	state = "Pending"
	if a := c.Status.Allocation; a != nil {
		state = "Allocated"
		for _, r := range a.Devices.Results {
			facts = append(facts, Fact{Name: fmt.Sprintf("allocated %s/%s for request %s", r.Pool, r.Device, r.Request)})
		}
	}
	for _, r := range c.Status.ReservedFor {
		facts, state = append(facts, Fact{Name: "reserved for " + r.Name}), "Reserved"
	}
	for _, d := range c.Status.Devices {
		for _, condition := range d.Conditions {
			facts = append(facts, Fact{d.Pool + "/" + d.Device + " " + condition.Type, because(string(condition.Status), condition.Reason, condition.Message)})
		}
	}
	for _, f := range c.Finalizers {
		facts = append(facts, Fact{Name: "finalizer " + f})
	}
	if c.DeletionTimestamp != nil {
		facts, state = append(facts, Fact{Name: "being deleted"}), "Terminating"
	}
	return slices.Insert(facts, 0, Fact{"state", state}), state
}

// Slice returns the facts about a ResourceSlice, and its state in a word.
func Slice(s *resourceapi.ResourceSlice) (facts []Fact, state string) {
	pool := s.Spec.Pool
	facts = []Fact{
		{"pool", pool.Name},
		{"generation", fmt.Sprint(pool.Generation)},
		{"slices of the pool", fmt.Sprint(pool.ResourceSliceCount)},
		{"devices", fmt.Sprint(len(s.Spec.Devices))},
	}
	for _, d := range s.Spec.Devices {
		for _, taint := range d.Taints {
			facts = append(facts, Fact{"taint of " + d.Name, taint.Key + "=" + taint.Value + ":" + string(taint.Effect)})
		}
	}
	return facts, "Published"
}

// Object is the entry of an object's change, from the facts before (nil for a new one) to those now; nil if nothing
// relevant changed.
func Object(source spec.TimelineSource, name string, before, now []Fact, state string) *spec.TimelineEntry {
	change := Change(before, now)
	switch {
	case change == "":
		return nil
	case before == nil:
		change = "created: " + change
	}
	e := &spec.TimelineEntry{Source: source, Object: name, Text: change, State: state}
	if state == string(corev1.PodFailed) {
		e.Severity = spec.SeverityWarning
	}
	return e
}

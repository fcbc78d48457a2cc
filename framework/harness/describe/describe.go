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

package describe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
)

// Pod describes the state of a pod.
func Pod(p *corev1.Pod) string {
	if p == nil {
		return "no such pod"
	}
	parts := []string{fmt.Sprintf("phase %s on node %q", p.Status.Phase, p.Spec.NodeName)}
	if p.Status.Reason != "" || p.Status.Message != "" {
		parts = append(parts, strings.TrimSpace(p.Status.Reason+" "+p.Status.Message))
	}
	for _, c := range p.Status.Conditions {
		// These two only repeat others and the containers' states.
		follows := c.Type == corev1.PodReady || c.Type == corev1.ContainersReady
		if c.Status != corev1.ConditionTrue && c.Message != "" && !follows {
			parts = append(parts, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
		}
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		switch {
		case c.State.Waiting != nil:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("container %s waits: %s %s", c.Name, c.State.Waiting.Reason, c.State.Waiting.Message)))
		case c.State.Terminated != nil:
			parts = append(parts, fmt.Sprintf("container %s ended: %s, exit code %d", c.Name, c.State.Terminated.Reason, c.State.Terminated.ExitCode))
		}
		if c.RestartCount > 0 {
			parts = append(parts, fmt.Sprintf("container %s restarted %d time(s)", c.Name, c.RestartCount))
		}
	}
	if p.DeletionTimestamp != nil {
		parts = append(parts, "being deleted")
	}
	return strings.Join(parts, "; ")
}

// Response describes the response to a request.
func Response(err error) string {
	if err == nil {
		return "accepted"
	}
	return err.Error()
}

// Claim describes the state of a claim.
func Claim(c *resourceapi.ResourceClaim) string {
	if c == nil {
		return "no such claim"
	}
	allocation := "not allocated"
	if a := c.Status.Allocation; a != nil {
		var devices []string
		for _, r := range a.Devices.Results {
			devices = append(devices, fmt.Sprintf("%s=%s/%s", r.Request, r.Pool, r.Device))
		}
		allocation = "allocated " + strings.Join(devices, ", ")
	}
	return fmt.Sprintf("%s; reserved for %d; finalizers %v%s", allocation, len(c.Status.ReservedFor), c.Finalizers, conditions(c))
}

// conditions describes the conditions of devices.
func conditions(c *resourceapi.ResourceClaim) string {
	text := ""
	for _, d := range c.Status.Devices {
		for _, condition := range d.Conditions {
			text += fmt.Sprintf("; %s/%s %s=%s", d.Pool, d.Device, condition.Type, condition.Status)
		}
	}
	return text
}

// Event describes an event in one line.
func Event(e *corev1.Event) string {
	times := ""
	if n := Times(e); n > 1 {
		times = fmt.Sprintf(" (%d times)", n)
	}
	return fmt.Sprintf("%s %s%s: %s", e.Type, e.Reason, times, e.Message)
}

// Events returns a line for each event, in their order.
func Events(events []*corev1.Event) string {
	if len(events) == 0 {
		return "no events"
	}
	lines := make([]string, 0, len(events))
	for _, e := range events {
		lines = append(lines, Event(e))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// InOrder sorts events by LastSeen.
func InOrder(events []corev1.Event) []*corev1.Event {
	sorted := make([]*corev1.Event, 0, len(events))
	for i := range events {
		sorted = append(sorted, &events[i])
	}
	slices.SortStableFunc(sorted, func(a, b *corev1.Event) int { return LastSeen(a).Compare(LastSeen(b)) })
	return sorted
}

// Times is the number of occurrences of an event; events.k8s.io counts in a series.
func Times(e *corev1.Event) int32 {
	if e.Series != nil {
		return max(1, e.Series.Count)
	}
	return max(1, e.Count)
}

// FirstSeen is the time of an event's first occurrence.
func FirstSeen(e *corev1.Event) time.Time {
	switch {
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	case !e.FirstTimestamp.IsZero():
		return e.FirstTimestamp.Time
	default:
		return e.CreationTimestamp.Time
	}
}

// LastSeen is the time of an event's last occurrence.
func LastSeen(e *corev1.Event) time.Time {
	times := []time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time}
	if e.Series != nil {
		times = append(times, e.Series.LastObservedTime.Time)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

// WarningsFirst sorts events by how much they explain: warnings with a cause, warnings about
// retries, then normal events; the latest of each first.
func WarningsFirst(events []*corev1.Event) []*corev1.Event {
	scheduled := slices.ContainsFunc(events, func(e *corev1.Event) bool { return e.Reason == "Scheduled" })
	rank := func(e *corev1.Event) int {
		switch {
		case e.Type != corev1.EventTypeWarning:
			return 2
		case e.Reason == "BackOff", e.Reason == "FailedScheduling" && scheduled:
			return 1
		default:
			return 0
		}
	}
	events = slices.Clone(events)
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b *corev1.Event) int { return rank(a) - rank(b) })
	return events
}

// Object is the kind and name of an object.
func Object(o ctrlclient.Object) string {
	kind := fmt.Sprintf("%T", o)
	if untyped, ok := o.(*unstructured.Unstructured); ok {
		kind = untyped.GetKind()
	}
	return strings.ToLower(kind[strings.LastIndex(kind, ".")+1:]) + " " + o.GetName()
}

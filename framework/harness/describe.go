package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// describePod says in a few words what matters about a pod.
func describePod(p *corev1.Pod) string {
	if p == nil {
		return "no such pod"
	}
	parts := []string{fmt.Sprintf("phase %s on node %q", p.Status.Phase, p.Spec.NodeName)}
	if p.Status.Reason != "" || p.Status.Message != "" {
		parts = append(parts, p.Status.Reason+" "+p.Status.Message)
	}
	for _, c := range p.Status.Conditions {
		if c.Status != corev1.ConditionTrue && c.Message != "" {
			parts = append(parts, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
		}
	}
	for _, c := range append(append([]corev1.ContainerStatus{}, p.Status.InitContainerStatuses...), p.Status.ContainerStatuses...) {
		switch {
		case c.State.Waiting != nil:
			parts = append(parts, fmt.Sprintf("container %s waits: %s %s", c.Name, c.State.Waiting.Reason, c.State.Waiting.Message))
		case c.State.Terminated != nil:
			parts = append(parts, fmt.Sprintf("container %s ended: %s, exit code %d", c.Name, c.State.Terminated.Reason, c.State.Terminated.ExitCode))
		}
	}
	if p.DeletionTimestamp != nil {
		parts = append(parts, "being deleted")
	}
	return strings.Join(parts, "; ")
}

// describeClaim says in a few words what matters about a claim.
func describeClaim(c *resourceapi.ResourceClaim) string {
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
	return fmt.Sprintf("%s; reserved for %d; finalizers %v", allocation, len(c.Status.ReservedFor), c.Finalizers)
}

// eventsOf are the last events about an object, for a failure's text.
func (t *T) eventsOf(object string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 5*time.Second)
	defer cancel()
	events, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + object})
	if err != nil {
		return fmt.Sprintf("\nevents: %v", err)
	}
	const most = 5
	var lines []string
	for _, e := range events.Items[max(0, len(events.Items)-most):] {
		lines = append(lines, fmt.Sprintf("\nevent: %s %s: %s", e.Type, e.Reason, e.Message))
	}
	return strings.Join(lines, "")
}

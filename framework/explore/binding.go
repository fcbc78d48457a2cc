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
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

// bindEvery is the interval of reports of binding conditions. It is long enough for a faulty scheduler to bind a pod before
// its conditions are true.
const bindEvery = 500 * time.Millisecond

// binder reports the binding conditions of new allocations, as drivers do.
type binder struct {
	// seen has the resource versions of claims at the last call of bind, by name.
	seen map[string]string
	// failed lists devices whose first allocation has failed.
	failed map[string]bool
	// unprepared maps a pod to a claim whose binding conditions were not true when the pod was bound.
	unprepared map[string]string
}

func newBinder() *binder {
	return &binder{seen: map[string]string{}, failed: map[string]bool{}, unprepared: map[string]string{}}
}

// binds reports whether a device has binding conditions.
func binds(p *problem.Problem) bool {
	return slices.ContainsFunc(p.Slices, func(s resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return len(d.BindingConditions) > 0 })
	})
}

// bind reports the conditions of claims unchanged since the last call, and records pods that were bound too early.
func (t *trial) bind(ctx context.Context) error {
	claims, err := t.claims(ctx)
	if err != nil {
		return fmt.Errorf("read claims: %w", err)
	}
	var ready []*resourceapi.ResourceClaim
	for i := range claims {
		c := &claims[i]
		if c.Status.Allocation != nil && !oracle.Prepared(c) && !oracle.Failed(c) && !t.timedOut(c) {
			if t.binder.seen[c.Name] == c.ResourceVersion {
				ready = append(ready, c)
			}
			t.binder.seen[c.Name] = c.ResourceVersion
		}
	}
	if len(ready) == 0 {
		return nil
	}
	pods, err := t.client.CoreV1().Pods(t.namespace.Name).List(ctx, metav1.ListOptions{LabelSelector: label + "=" + t.id})
	if err != nil {
		return fmt.Errorf("read pods: %w", err)
	}
	for _, c := range ready {
		for i := range pods.Items {
			if pod := &pods.Items[i]; pod.Spec.NodeName != "" && uses(pod, c.Name) {
				t.binder.unprepared[pod.Name] = c.Name
			}
		}
		failed := t.binder.report(c)
		_, err := t.client.ResourceV1().ResourceClaims(c.Namespace).UpdateStatus(ctx, c, metav1.UpdateOptions{})
		switch {
		case err == nil:
			for _, device := range failed {
				t.binder.failed[device] = true
			}
		case !apierrors.IsConflict(err) && !apierrors.IsNotFound(err):
			return fmt.Errorf("report binding conditions of claim %s: %w", c.Name, err)
		}
	}
	return nil
}

// unprepared returns a claim whose binding conditions were not true when a pod was bound, or "".
func (t *trial) unprepared(pod *corev1.Pod, claims []resourceapi.ResourceClaim) string {
	if pod.Spec.NodeName == "" {
		return ""
	}
	for i := range claims {
		if uses(pod, claims[i].Name) && !oracle.Prepared(&claims[i]) {
			return claims[i].Name
		}
	}
	if t.binder == nil {
		return ""
	}
	return t.binder.unprepared[pod.Name]
}

// allocations describes the allocations of the problem's claims and their conditions. The state is final if the text is the
// same after all pods were retried: until then, allocations may be released and made again.
func (t *trial) allocations(ctx context.Context) (string, error) {
	if t.binder == nil {
		return "", nil
	}
	claims, err := t.claims(ctx)
	if err != nil {
		return "", fmt.Errorf("read claims: %w", err)
	}
	var lines []string
	for _, c := range slices.Concat(t.problem.Claims, t.problem.Allocated) {
		i := slices.IndexFunc(claims, func(now resourceapi.ResourceClaim) bool { return now.Name == c.Name })
		if i >= 0 && claims[i].Status.Allocation != nil {
			allocation, err := json.Marshal(claims[i].Status.Allocation)
			if err != nil {
				return "", fmt.Errorf("read claim %s: %w", c.Name, err)
			}
			lines = append(lines, fmt.Sprintf("%s %s prepared=%t failed=%t", c.Name, allocation, oracle.Prepared(&claims[i]), oracle.Failed(&claims[i])))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// timedOut reports whether a claim still has its initial allocation, which has timed out.
func (t *trial) timedOut(c *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(t.problem.Allocated, func(old resourceapi.ResourceClaim) bool {
		return old.Name == c.Name && c.Status.Allocation.AllocationTimestamp.Equal(old.Status.Allocation.AllocationTimestamp)
	})
}

// uses reports whether a pod uses a claim.
func uses(pod *corev1.Pod, claim string) bool {
	if s := pod.Status.ExtendedResourceClaimStatus; s != nil && s.ResourceClaimName == claim {
		return true
	}
	return slices.ContainsFunc(pod.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return ptr.Deref(c.ResourceClaimName, "") == claim })
}

// report sets the conditions of a claim's devices, and returns the devices that it lets fail. Each fails once.
func (b *binder) report(c *resourceapi.ResourceClaim) (failed []string) {
	for _, r := range c.Status.Allocation.Devices.Results {
		if len(r.BindingConditions) == 0 {
			continue
		}
		conditions := r.BindingConditions
		if device := r.Driver + "/" + r.Pool + "/" + r.Device; slices.Contains(r.BindingFailureConditions, problem.FailsFirst) && !b.failed[device] {
			conditions, failed = []string{problem.FailsFirst}, append(failed, device)
		}
		status := oracle.StatusOf(c, &r)
		if status == nil {
			c.Status.Devices = append(c.Status.Devices, resourceapi.AllocatedDeviceStatus{
				Driver: r.Driver, Pool: r.Pool, Device: r.Device, ShareID: (*string)(r.ShareID),
			})
			status = &c.Status.Devices[len(c.Status.Devices)-1]
		}
		for _, condition := range conditions {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Explored"})
		}
	}
	return failed
}

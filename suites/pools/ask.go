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

package pools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/gomega/types"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// needs are common to all cases of these requests, plus features.
func needs(features ...spec.Feature) spec.Needs {
	return spec.Needs{NoKubelet: true, Since: "1.37", APIs: []string{"v1alpha3"}, Features: append([]spec.Feature{spec.PoolStatus}, features...)}
}

// about returns a request for the status of all pools of the case's driver, or of one pool.
func about(t *harness.T, pools ...string) alphaapi.ResourcePoolStatusRequestSpec {
	about := alphaapi.ResourcePoolStatusRequestSpec{Driver: t.DriverName()}
	for _, pool := range pools {
		about.PoolName = &pool
	}
	return about
}

// ask creates a request.
func ask(t *harness.T, name string, about alphaapi.ResourcePoolStatusRequestSpec) {
	t.Create(&alphaapi.ResourcePoolStatusRequest{ObjectMeta: metav1.ObjectMeta{Name: t.Namespace + "-" + name}, Spec: about})
}

// look returns a request's current status, nil without an answer.
func look(ctx context.Context, t *harness.T, name string) (*alphaapi.ResourcePoolStatusRequestStatus, error) {
	request, err := t.Client.ResourceV1alpha3().ResourcePoolStatusRequests().Get(ctx, t.Namespace+"-"+name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get a request: %w", err)
	}
	return request.Status, nil
}

// answered waits for a request's status.
func answered(t *harness.T, name string) []string {
	var said []string
	t.Poll("the answer to request "+name, func(ctx context.Context) (bool, string, error) {
		status, err := look(ctx, t, name)
		if status == nil {
			return false, "none", err
		}
		said = answer(t, status)
		return true, strings.Join(said, "\n"), nil
	})
	return said
}

// patience bounds the wait for a request's status.
const patience = 10 * time.Second

// expectAnswer repeats a request until its status is as expected, as the controller may not have
// seen all slices and claims yet. It returns the status.
func expectAnswer(t *harness.T, what string, about alphaapi.ResourcePoolStatusRequestSpec, fits types.GomegaMatcher) (said []string) {
	var name string
	var asked time.Time
	t.Poll(what, func(ctx context.Context) (bool, string, error) {
		if name == "" {
			name, asked = rand.String(5), time.Now()
			ask(t, name, about)
		}
		status, err := look(ctx, t, name)
		switch {
		case err != nil:
			return false, "", err
		case status == nil && time.Since(asked) > patience:
			name = ""
			return false, fmt.Sprintf("no answer within %s", patience), nil
		case status == nil:
			return false, "no answer", nil
		}
		name = ""
		said = answer(t, status)
		ok, err := fits.Match(said)
		return ok, strings.Join(said, "\n"), err
	})
	return said
}

// answer returns a request's status as a line with the number of pools and one line per listed
// pool. The driver is named unless it is the case's.
func answer(t *harness.T, s *alphaapi.ResourcePoolStatusRequestStatus) []string {
	lines := []string{fmt.Sprintf("%s of %d pools", state(s.Conditions), ptr.Deref(s.PoolCount, -1))}
	for _, p := range s.Pools {
		line := describe(p)
		if p.Driver != t.DriverName() {
			line = "driver " + p.Driver + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// state returns the names of the true conditions.
func state(conditions []metav1.Condition) string {
	var names []string
	for _, c := range conditions {
		if c.Status == metav1.ConditionTrue {
			names = append(names, c.Type)
		}
	}
	return strings.Join(names, "+")
}

// describe returns one pool of the status as a line.
func describe(p alphaapi.PoolStatus) string {
	number := func(n *int32) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %q, generation %d, %s slices: %s devices, %s allocated, %s available, %s unavailable",
		p.PoolName, ptr.Deref(p.NodeName, ""), p.Generation, number(p.ResourceSliceCount),
		number(p.TotalDevices), number(p.AllocatedDevices), number(p.AvailableDevices), number(p.UnavailableDevices))
	for _, s := range p.PartitionSummary {
		fmt.Fprintf(&b, "; %s %s: %s of %s", s.Attribute[strings.LastIndex(s.Attribute, "/")+1:], s.Type, number(s.Allocatable), number(s.Total))
	}
	if s := p.ShareableSummary; s != nil {
		fmt.Fprintf(&b, "; shared: %s fully, %s partially available", number(s.FullyAvailableDevices), number(s.PartiallyAvailableDevices))
		for _, c := range s.Capacity {
			fmt.Fprintf(&b, ", %s %s - %s = %s", c.Name, c.Total, c.Consumed, c.Available)
		}
	}
	if p.ValidationError != nil {
		reason, _, _ := strings.Cut(*p.ValidationError, ":")
		b.WriteString("; " + reason)
	}
	return b.String()
}

// allocate creates a claim with these devices of a pool allocated, as a scheduler would write it.
func allocate(t *harness.T, name, class, pool string, devices ...resourceapi.DeviceRequestAllocationResult) {
	claim := objects.Claim(name)
	for _, d := range devices {
		request := objects.Request("req-"+d.Device, class)
		request.Exactly.AdminAccess = d.AdminAccess
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, request)
	}
	t.Create(claim)
	edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
		for i := range devices {
			devices[i].Request, devices[i].Driver, devices[i].Pool = "req-"+devices[i].Device, t.DriverName(), pool
		}
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: devices}}
	})
}

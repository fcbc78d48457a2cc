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

package simdriver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Status returns the status of the instance on the case's first node.
func (d *Driver) Status() spec.DriverStatus {
	ginkgo.GinkgoHelper()
	status, err := d.status(d.t.Context(), d.t.Nodes[0])
	d.t.NoError(err, "ask the driver on %s for its status", d.t.Nodes[0])
	return status
}

// AwaitProblem waits until the instance on the case's first node reports a background error, and
// returns it.
func (d *Driver) AwaitProblem() string {
	ginkgo.GinkgoHelper()
	problem := ""
	d.t.Poll("the driver to notice a problem", func(ctx context.Context) (bool, string, error) {
		status, err := d.status(ctx, d.t.Nodes[0])
		problem = status.Problem
		return err == nil && problem != "", problem, err
	})
	return problem
}

// Calls returns the calls of all kubelets for a claim, in the order of their start.
func (d *Driver) Calls(method spec.Method, claim string) []spec.Call {
	ginkgo.GinkgoHelper()
	calls, err := d.calls(d.t.Context(), method, claim)
	d.t.NoError(err, "read driver calls")
	return calls
}

func (d *Driver) calls(ctx context.Context, method spec.Method, claim string) ([]spec.Call, error) {
	var calls []spec.Call
	for _, node := range d.t.Nodes {
		status, err := d.status(ctx, node)
		if err != nil {
			return nil, err
		}
		for _, c := range status.Calls {
			if c.Method == method && isFor(c, claim) {
				calls = append(calls, c)
			}
		}
	}
	slices.SortFunc(calls, func(a, b spec.Call) int { return a.Start.Compare(b.Start) })
	return calls, nil
}

// isFor reports whether a call has a claim.
func isFor(c spec.Call, claim string) bool {
	return slices.ContainsFunc(c.Claims, func(cc spec.ClaimCall) bool { return cc.Name == claim })
}

// AwaitCalls waits until ok returns true for the completed calls.
func (d *Driver) AwaitCalls(method spec.Method, claim, what string, ok func([]spec.Call) bool) {
	ginkgo.GinkgoHelper()
	d.t.Poll("driver calls "+string(method)+": "+what, func(ctx context.Context) (bool, string, error) {
		calls, err := d.calls(ctx, method, claim)
		calls = slices.DeleteFunc(calls, func(c spec.Call) bool { return c.InProgress })
		return err == nil && ok(calls), describeCalls(calls), err
	})
}

// ExpectCalls ends the case unless the driver has received exactly that many calls for a claim, including
// those in progress. when may say more about the expectation, such as "while the pod runs".
func (d *Driver) ExpectCalls(method spec.Method, claim string, want int, when string) {
	ginkgo.GinkgoHelper()
	d.expectCalls(method, claim, want, want, fmt.Sprint(want), when)
}

// ExpectCallsAtLeast is ExpectCalls for a minimum.
func (d *Driver) ExpectCallsAtLeast(method spec.Method, claim string, least int, when string) {
	ginkgo.GinkgoHelper()
	d.expectCalls(method, claim, least, math.MaxInt, fmt.Sprintf("at least %d", least), when)
}

func (d *Driver) expectCalls(method spec.Method, claim string, least, most int, want, when string) {
	ginkgo.GinkgoHelper()
	if calls := d.Calls(method, claim); len(calls) < least || len(calls) > most {
		what := strings.TrimSpace(fmt.Sprintf("%s call(s) for claim %q %s", method, claim, when))
		d.t.Fatalf("expected %s %s, got %d\nlast seen: %s", want, what, len(calls), describeCalls(calls))
	}
}

// CalledOn returns the nodes of the case with calls for a claim, in order.
func (d *Driver) CalledOn(claim string) []string {
	ginkgo.GinkgoHelper()
	called := []string{}
	for _, node := range d.t.Nodes {
		status, err := d.status(d.t.Context(), node)
		d.t.NoError(err, "read driver calls on %s", node)
		if slices.ContainsFunc(status.Calls, func(c spec.Call) bool { return isFor(c, claim) }) {
			called = append(called, node)
		}
	}
	return called
}

// Holds reports whether the driver has a claim prepared.
func (d *Driver) Holds(claim types.UID) bool {
	ginkgo.GinkgoHelper()
	for _, node := range d.t.Nodes {
		status, err := d.status(d.t.Context(), node)
		d.t.NoError(err, "ask the driver on %s for prepared claims", node)
		if slices.Contains(status.Prepared, claim) {
			return true
		}
	}
	return false
}

// AwaitUnprepared waits until no claim is prepared on any node.
func (d *Driver) AwaitUnprepared() {
	ginkgo.GinkgoHelper()
	d.t.Poll("the driver to have no prepared claims", func(ctx context.Context) (bool, string, error) {
		prepared, err := d.prepared(ctx)
		return len(prepared) == 0, fmt.Sprintf("%d claims are prepared", len(prepared)), err
	})
}

func describeCalls(calls []spec.Call) string {
	if len(calls) == 0 {
		return "no calls"
	}
	lines := make([]string, 0, len(calls))
	for _, c := range calls {
		line := fmt.Sprintf("%s %s at %s", c.Method, c.GRPC, c.Start.Format("15:04:05.000"))
		if c.Error != "" {
			line += " failed: " + c.Error
		}
		for _, cc := range c.Claims {
			line += fmt.Sprintf(" %s=%v", cc.Name, cc.CDIDevices)
			if cc.Error != "" {
				line += " error: " + cc.Error
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

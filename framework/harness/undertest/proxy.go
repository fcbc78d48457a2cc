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

package undertest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// Proxy is a gRPC proxy between a kubelet and the driver under test.
type Proxy struct {
	t            *harness.T
	node, driver string
}

// Between puts a proxy between the kubelet of a node and the driver, and returns when the kubelet
// has registered it. The proxy ends with the driver's process and with the case.
func (d *Driver) Between(node string, config spec.Proxy) *Proxy {
	ginkgo.GinkgoHelper()
	d.t.Step("put a proxy before the driver on %s", node)
	if config.KillAfter != "" {
		d.endsDriver(node)
	}
	d.t.SetBlocked("no proxy could be put before the driver")
	p := &Proxy{t: d.t, node: node, driver: d.spec.Driver}
	ginkgo.DeferCleanup(func(ctx context.Context) { d.t.NoError(p.take(ctx), "take the proxy away") }, ginkgo.NodeTimeout(harness.FinishTimeout))
	_, err := d.t.Env().Agents.StartProxy(d.t.Context(), &agentapi.DriverSpec{Node: node, Driver: p.driver, Json: agentapi.Encode(config)})
	d.t.NoError(err, "put a proxy before the driver")
	d.t.Poll("the kubelet to register the proxy", func(ctx context.Context) (bool, string, error) {
		status, err := p.status(ctx)
		return status.Registered, fmt.Sprintf("registered: %t %s %s", status.Registered, status.RegistrationError, status.Problem), err
	})
	d.t.SetBlocked("")
	return p
}

// take removes the proxy and adds its calls to the timeline.
func (p *Proxy) take(ctx context.Context) error {
	if status, err := p.status(ctx); err == nil {
		p.t.AddTimeline(func(context.Context) ([]spec.TimelineEntry, []string) {
			return timeline.Calls(p.calls(status), p.node), nil
		})
	}
	_, err := p.t.Env().Agents.StopProxy(ctx, p.request())
	return err
}

func (p *Proxy) request() *agentapi.DriverRequest {
	return &agentapi.DriverRequest{Node: p.node, Driver: p.driver}
}

func (p *Proxy) status(ctx context.Context) (spec.DriverStatus, error) {
	return agentapi.Decode[spec.DriverStatus](p.t.Env().Agents.GetProxyStatus(ctx, p.request()))
}

// calls are those for claims of the case.
func (p *Proxy) calls(status spec.DriverStatus) []spec.Call {
	var own []spec.Call
	for _, c := range status.Calls {
		for _, claim := range c.Claims {
			if claim.Namespace == p.t.Namespace {
				own = append(own, c)
				break
			}
		}
	}
	return own
}

// Seen returns the calls of a method for claims of the case. If there are none, the kubelet has
// called another socket and the case is blocked.
func (p *Proxy) Seen(method spec.Method) []spec.Call {
	ginkgo.GinkgoHelper()
	status, err := p.status(p.t.Context())
	p.t.NoError(err, "ask the proxy for calls")
	var seen []spec.Call
	for _, c := range p.calls(status) {
		if c.Method == method {
			seen = append(seen, c)
		}
	}
	if len(seen) == 0 {
		p.t.SetBlocked("the kubelet has not asked the proxy")
		p.t.Fatalf("no %s call for a claim of the case went through the most recently registered proxy on %s", method, p.node)
	}
	p.t.Note("%d %s call(s) went through the proxy", len(seen), method)
	return seen
}

// ExpectKilled blocks the case unless the proxy killed the driver after a call of this method for a
// claim of the case. Without that, no answer was lost.
func (p *Proxy) ExpectKilled(method spec.Method) {
	ginkgo.GinkgoHelper()
	if killedAfter(p.Seen(method)) {
		return
	}
	p.t.SetBlocked("the driver was not killed after it had answered")
	status, err := p.status(p.t.Context())
	p.t.NoError(err, "ask the proxy what went wrong")
	p.t.Fatalf("the proxy on %s has not killed the driver after any %s call for a claim of the case: %s", p.node, method, status.Problem)
}

// killedAfter is whether the driver was killed after one of these calls.
func killedAfter(calls []spec.Call) bool {
	return slices.ContainsFunc(calls, func(c spec.Call) bool { return strings.Contains(c.Error, spec.KilledAfterAnswer) })
}

// ExpectAnswered ends the case if the driver answered a call of this method, or a claim in it, with
// an error.
func (p *Proxy) ExpectAnswered(method spec.Method) {
	ginkgo.GinkgoHelper()
	p.t.Expect(errorsIn(p.Seen(method))).To(gomega.BeEmpty(), "errors returned by the driver for repeated %s calls", method)
}

// errorsIn are the errors of calls and of the claims in them.
func errorsIn(calls []spec.Call) []string {
	found := []string{}
	for _, c := range calls {
		if c.Error != "" {
			found = append(found, c.Error)
		}
		for _, claim := range c.Claims {
			if claim.Error != "" {
				found = append(found, fmt.Sprintf("claim %s/%s: %s", claim.Namespace, claim.Name, claim.Error))
			}
		}
	}
	return found
}

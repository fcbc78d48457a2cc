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

package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// interval is the sampling interval.
	interval = 5 * time.Second
	// askTimeout bounds one sample.
	askTimeout = 20 * time.Second
	// mostFailed is the number of failed answers after which the agent may have lost the proxy.
	mostFailed = 6
	// mostCalls is the number of calls after which a proxy is replaced: each sample transfers all of them.
	mostCalls = 1000
)

// Sampler samples a driver on its nodes. A proxy ends with the driver's process, so each process gets another one.
type Sampler struct {
	agents            agentapi.AgentClient
	driver, namespace string
	began             time.Time

	mutex sync.Mutex
	nodes map[string]*onNode
}

// onNode is the driver on a node.
type onNode struct {
	// past are the calls through earlier proxies, current those through this one.
	past, current []spec.Call
	samples       []Sample
	// process is the number of the driver's process.
	process int
	// renew requests another proxy: the kubelet may call the driver itself.
	renew bool
	// needs: there is no proxy, or the calls of the last one are in past.
	needs bool
	// failed counts answers that failed in sequence.
	failed int
	// problem is why there is no sample at the moment.
	problem string
}

// Sample is the resource use of the driver's process on a node.
type Sample struct {
	Node string `json:"node"`
	// Seconds is the time since the load began.
	Seconds float64 `json:"seconds"`
	// Process numbers the processes on the node, from 1.
	Process int `json:"process"`

	spec.ProcessUse `json:",inline"`
}

// NewSampler returns a sampler for claims of a namespace; times are relative to began.
func NewSampler(agents agentapi.AgentClient, driver, namespace string, nodes []string, began time.Time) *Sampler {
	s := &Sampler{agents: agents, driver: driver, namespace: namespace, began: began, nodes: map[string]*onNode{}}
	for _, node := range nodes {
		s.nodes[node] = &onNode{process: 1, needs: true}
	}
	return s
}

// Run samples until ctx ends, and then removes the proxies.
func (s *Sampler) Run(ctx context.Context) error {
	var all sync.WaitGroup
	errs := make(chan error, len(s.nodes))
	for node := range s.nodes {
		all.Go(func() {
			wait.UntilWithContext(ctx, func(ctx context.Context) { s.sample(ctx, node) }, interval)
			errs <- s.remove(context.WithoutCancel(ctx), node)
		})
	}
	all.Wait()
	close(errs)
	var failed []error
	for err := range errs {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// Renew is called after the restart of a node's kubelet, which may prefer the driver's own socket.
func (s *Sampler) Renew(node string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if n := s.nodes[node]; n != nil {
		n.renew = true
	}
}

func (s *Sampler) request(node string) *agentapi.DriverRequest {
	return &agentapi.DriverRequest{Node: node, Driver: s.driver}
}

func (s *Sampler) sample(ctx context.Context, node string) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if !s.needs(node) {
		seen, err := agentapi.Decode[spec.DriverStatus](s.agents.GetProxyStatus(ctx, s.request(node)))
		if ctx.Err() != nil || !s.see(node, seen, err) {
			return
		}
	}
	_, err := s.agents.StartProxy(ctx, &agentapi.DriverSpec{Node: node, Driver: s.driver, Json: agentapi.Encode(spec.Proxy{Measure: true})})
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err != nil {
		s.nodes[node].problem = err.Error()
		return
	}
	s.nodes[node].needs = false
}

func (s *Sampler) needs(node string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.nodes[node].needs
}

// see takes the state of a proxy, and reports whether another one is needed.
func (s *Sampler) see(node string, seen spec.DriverStatus, err error) (another bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	n := s.nodes[node]
	if err != nil {
		n.problem = err.Error()
		n.failed++
		n.needs = n.failed >= mostFailed
		return n.needs
	}
	n.failed = 0
	n.current, n.problem = s.own(seen.Calls), seen.Problem
	ended := seen.Problem == spec.DriverEnded
	busy := slices.ContainsFunc(n.current, func(c spec.Call) bool { return c.InProgress })
	switch {
	case ended:
		n.process++
	case seen.Process != nil && seen.Problem == "":
		n.samples = append(n.samples, Sample{Node: node, Seconds: time.Since(s.began).Seconds(), Process: n.process, ProcessUse: *seen.Process})
	}
	if !ended && (busy || !n.renew && len(seen.Calls) < mostCalls) {
		return false
	}
	n.past, n.current, n.renew, n.needs = append(n.past, n.current...), nil, false, true
	return true
}

// own returns the calls for claims of the namespace.
func (s *Sampler) own(calls []spec.Call) []spec.Call {
	return slices.DeleteFunc(calls, func(c spec.Call) bool {
		return !slices.ContainsFunc(c.Claims, func(claim spec.ClaimCall) bool { return claim.Namespace == s.namespace })
	})
}

func (s *Sampler) remove(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if !s.needs(node) {
		if seen, err := agentapi.Decode[spec.DriverStatus](s.agents.GetProxyStatus(ctx, s.request(node))); err == nil {
			s.see(node, seen, nil)
		}
	}
	if _, err := s.agents.StopProxy(ctx, s.request(node)); err != nil {
		return fmt.Errorf("remove the proxy on node %s: %w", node, err)
	}
	return nil
}

// Seen returns the calls by node and the samples so far, and why nodes have no samples.
func (s *Sampler) Seen() (calls map[string][]spec.Call, samples []Sample, problems []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	calls = map[string][]spec.Call{}
	for node, n := range s.nodes {
		calls[node] = slices.Concat(n.past, n.current)
		samples = append(samples, n.samples...)
		if len(n.samples) == 0 {
			problems = append(problems, fmt.Sprintf("the driver on node %s was not measured: %s", node, n.problem))
		}
	}
	slices.Sort(problems)
	return calls, samples, problems
}

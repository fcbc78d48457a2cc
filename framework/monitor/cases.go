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

package monitor

import (
	"maps"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// recovery is the time allowed for components to recover after a case restarted them.
const recovery = time.Minute

// cases tracks the cases of the run.
type cases struct {
	// setAside is Config.SetAside.
	setAside string
	metas    map[string]spec.Meta
	// since has the start times of running cases.
	since map[string]time.Time
	// of maps namespaces to cases.
	of map[string]string
	// ended is the end of the last case with component restarts, apartEnded that of the last one on the node set aside.
	ended, apartEnded time.Time
}

func newCases(metas []spec.Meta, setAside string) cases {
	c := cases{setAside: setAside, metas: map[string]spec.Meta{}, since: map[string]time.Time{}, of: map[string]string{}}
	for _, m := range metas {
		c.metas[m.ID] = m
	}
	return c
}

func (c *cases) see(progress []spec.Progress) {
	for _, p := range progress {
		switch {
		case p.Outcome != nil:
			delete(c.since, p.ID)
			switch {
			case c.restarts(p.ID):
				c.ended = p.Time
			case c.restartsApart(p.ID):
				c.apartEnded = p.Time
			}
		case p.Step == "" && p.ID != "":
			c.since[p.ID] = p.Time
		}
		if namespace := harness.NamespaceIn(p.Step); namespace != "" {
			c.of[namespace] = p.ID
		}
	}
}

// restarts reports whether a case restarts components of nodes that others use, too.
func (c *cases) restarts(id string) bool {
	m := c.metas[id]
	return (m.Needs.Disruption || m.Needs.Restarts != "") && !c.restartsApart(id)
}

// restartsApart reports whether a case restarts only components of the node set aside.
func (c *cases) restartsApart(id string) bool {
	m := c.metas[id]
	return c.setAside != "" && m.HoldsNode && (m.Needs.Disruption || m.Needs.Restarts != "")
}

// excuses reports whether restarts explain an observation.
func (c *cases) excuses(o observation, now time.Time) bool {
	apart := now.Sub(c.apartEnded) < recovery || slices.ContainsFunc(c.running(), c.restartsApart)
	return o.restart && (c.disrupted(now) || apart && (o.node == c.setAside || c.restartsApart(c.of[o.namespace])))
}

// judge reports whether an observation is left to a case with a known issue: its claim and device belong to the case. The
// case then checks whether it is the issue, and in an affected component. Known issues of the kubelet do not count: it
// neither allocates nor reserves.
func (c *cases) judge(o observation) bool {
	issue := c.metas[c.of[o.namespace]].KnownIssue
	return issue != nil && issue.Component != spec.Kubelet && (o.driver == "" || harness.NamespaceOf(o.driver) == o.namespace)
}

// running returns the IDs of running cases.
func (c *cases) running() []string { return slices.Sorted(maps.Keys(c.since)) }

// disrupted reports whether a case with component restarts is running or ended within recovery.
func (c *cases) disrupted(now time.Time) bool {
	return now.Sub(c.ended) < recovery || slices.ContainsFunc(c.running(), c.restarts)
}

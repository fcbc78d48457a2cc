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

package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Session is a file shared by the processes of a run. All paths are absolute.
type Session struct {
	Kubeconfig string           `json:"kubeconfig"`
	Context    string           `json:"context,omitempty"`
	Companions companionClients `json:"companions,omitempty"`
	Plan       spec.Plan        `json:"plan"`
	ReportDir  string           `json:"reportDir"`
	// WorkingDir is the user's working directory. Ginkgo runs suites in their own directories.
	WorkingDir string `json:"workingDir,omitempty"`
	PodImage   string `json:"podImage"`
	Keep       bool   `json:"keep,omitempty"`
	// SetAside is harness.Env.SetAside.
	SetAside string `json:"setAside,omitempty"`
	// NamespacesStay is harness.Env.NamespacesStay.
	NamespacesStay bool `json:"namespacesStay,omitempty"`
	// PodTemplate is testbed.Config.PodTemplate.
	PodTemplate map[string]any `json:"podTemplate,omitempty"`
	// Strict makes cases with a known issue fail.
	Strict bool `json:"strict,omitempty"`
	// Timelines selects the cases with a timeline.
	Timelines spec.Timelines `json:"timelines,omitempty"`
	// CaseLimit is Options.CaseLimit.
	CaseLimit time.Duration `json:"caseLimit,omitempty"`
	// TimeoutScale is Options.TimeoutScale; zero means 1.
	TimeoutScale float64 `json:"timeoutScale,omitempty"`
	// Mutant breaks all drivers; empty means none.
	Mutant spec.MutantID `json:"mutant,omitempty"`
}

func (s Session) write(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

func readSession(path string) (Session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Session{}, fmt.Errorf("read session: %w", err)
	}
	var s Session
	if err := json.Unmarshal(data, &s); err != nil {
		return Session{}, fmt.Errorf("read session: %w", err)
	}
	return s, nil
}

// env connects a process to the session's cluster.
func (s Session) env(ctx context.Context, parts testbed.Parts, w *journal.Writer) (*harness.Env, error) {
	config, err := testbed.ClientConfig(s.Kubeconfig, s.Context)
	if err != nil {
		return nil, err
	}
	agents, err := parts.Agents.Connect(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the test driver's agents: %w", err)
	}
	companions, err := s.Companions.clients(parts.Companions)
	if err != nil {
		return nil, err
	}
	env := &harness.Env{
		Config: config, Plan: s.Plan, Agents: agents, Driver: simdriver.New(s.Mutant),
		Companions: companions, Image: s.PodImage, PodTemplate: s.PodTemplate, ReportDir: s.ReportDir, Keep: s.Keep, SetAside: s.SetAside, NamespacesStay: s.NamespacesStay, Strict: s.Strict, Timelines: s.Timelines,
		Journal: func(p spec.Progress) {
			if err := w.Write(journal.Record{Progress: p}); err != nil {
				// The parent reports the case as unfinished; this is the reason.
				_, _ = fmt.Fprintln(os.Stderr, err)
			}
		},
	}
	if s.Plan.Target.DriverUnderTest != nil {
		env.Driver = undertest.New(Machine{Dir: s.WorkingDir})
	}
	return env, nil
}

// slower is the timeout factor for cases waiting for a delay of Kubernetes' own.
const slower = 3

// plannedCases returns the cases run by a session.
func (s Session) plannedCases(cases []harness.Case) []harness.Case {
	runs := map[string]bool{}
	for _, e := range s.Plan.Entries {
		runs[e.Meta.ID] = e.Skip == nil
	}
	var planned []harness.Case
	for _, c := range cases {
		if !runs[c.ID] {
			continue
		}
		c.HoldsNode = c.HoldsNode && s.SetAside != ""
		if s.TimeoutScale > 0 {
			c.TimeoutScale = s.TimeoutScale
			c.Timeout = time.Duration(float64(cmp.Or(c.Timeout, spec.DefaultTimeout)) * s.TimeoutScale)
		}
		if own, limit := cmp.Or(c.Timeout, spec.DefaultTimeout), s.CaseLimit; limit > 0 {
			if c.WaitsFor != "" {
				limit *= slower
			}
			c.Timeout = min(own, limit)
		}
		planned = append(planned, c)
	}
	return planned
}

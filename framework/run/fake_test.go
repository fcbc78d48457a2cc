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

package run_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// behaviour implements fake cases by ID.
var behaviour = map[string]func(ctx context.Context){
	"fake/passes":     func(context.Context) {},
	"fake/passes-too": func(context.Context) {},
	"fake/fails":      func(context.Context) { gomega.Expect(1).To(gomega.Equal(2), "one is not two") },
	"fake/panics":     func(context.Context) { panic("oops") },
	"fake/times-out":  func(ctx context.Context) { <-ctx.Done() },
	"fake/hangs":      func(ctx context.Context) { <-ctx.Done() },
	"fake/serial":     func(context.Context) {},
	"fake/deaf":       func(context.Context) { select {} },
	"fake/exits":      func(context.Context) { os.Exit(7) },
	"fake/late":       func(context.Context) {},
	"fake/skipped":    func(context.Context) {},
	"fake/flaky":      failOnce,
}

// failOnce fails unless it has before.
func failOnce(context.Context) {
	marker := os.Getenv("FAKE_FAILED")
	_, err := os.Stat(marker)
	_ = os.WriteFile(marker, nil, 0o600)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "not the first time")
}

func parts() run.Parts {
	ids := []string{"fake/passes", "fake/passes-too", "fake/fails", "fake/panics", "fake/times-out", "fake/hangs", "fake/serial",
		"fake/deaf", "fake/exits", "fake/late", "fake/skipped", "fake/flaky"}
	p := run.Parts{Parts: testbed.Parts{Agents: agents{}, Companions: companions.All()}, Register: register}
	for _, id := range ids {
		m := spec.Meta{ID: id, Checks: "It does.", Requires: []spec.RequirementID{"kep-4381/x"}}
		switch id {
		case "fake/times-out":
			m.Timeout = time.Second
		case "fake/serial":
			m.SerialBecause = "it must be the last one"
		case "fake/skipped":
			m.Needs.Nodes = 9
		}
		p.Cases = append(p.Cases, harness.Case{Meta: m})
	}
	return p
}

// register does as harness.Register does, without a cluster.
func register(cases []harness.Case, env func() *harness.Env) {
	for _, c := range cases {
		timeout := c.Timeout
		if timeout == 0 {
			timeout = spec.DefaultTimeout
		}
		args := []any{ginkgo.SpecTimeout(timeout), func(ctx ginkgo.SpecContext) {
			start := time.Now()
			if s := planned(env(), c.ID).Skip; s != nil {
				ginkgo.Skip(s.Text)
			}
			env().Journal(spec.Progress{Time: start, ID: c.ID})
			ginkgo.DeferCleanup(func() { end(env(), c.ID, start) })
			behaviour[c.ID](ctx)
		}}
		if c.SerialBecause != "" {
			args = append(args, ginkgo.Serial)
		}
		ginkgo.It(c.ID+" "+c.Checks, args...)
	}
}

func planned(env *harness.Env, id string) spec.Entry {
	i := slices.IndexFunc(env.Plan.Entries, func(e spec.Entry) bool { return e.Meta.ID == id })
	return env.Plan.Entries[i]
}

func end(env *harness.Env, id string, start time.Time) {
	o := spec.Outcome{ID: id, Status: spec.Passed, Started: start, Duration: time.Since(start)}
	if r := ginkgo.CurrentSpecReport(); r.Failed() {
		o.Status, o.Failure = spec.Failed, r.FailureMessage()
	}
	if marker := os.Getenv("FAKE_MARKER"); marker != "" && id != "fake/serial" {
		f, _ := os.OpenFile(marker, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		_, _ = f.WriteString("x")
		_ = f.Close()
	}
	env.Journal(spec.Progress{Time: time.Now(), ID: id, Outcome: &o})
	if id == "fake/late" {
		ginkgo.Fail("too late")
	}
}

// unreachable leads to no agent.
type unreachable struct{ grpc.ClientConnInterface }

func (unreachable) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return errors.New("no agent")
}

type agents struct{}

func (agents) Reserve(context.Context, *rest.Config) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}
func (agents) Install(context.Context, *rest.Config, []string) error { return nil }
func (agents) Uninstall(context.Context, *rest.Config) error         { return nil }
func (agents) Connect(context.Context, *rest.Config) (agentapi.AgentClient, error) {
	if os.Getenv("FAKE_NO_CONNECTION") != "" {
		return nil, errors.New("no way")
	}
	return agentapi.NewAgentClient(unreachable{}), nil
}

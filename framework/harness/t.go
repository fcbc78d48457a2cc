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

package harness

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

// T is what a case works with. Its methods end the case when something goes
// wrong that the case did not ask for.
type T struct {
	Hooks

	// Client talks to the cluster with all rights of the run's kubeconfig.
	Client kubernetes.Interface
	// Namespace is the case's own.
	Namespace string
	// Image is the image that pods run: a busybox.
	Image string
	// Nodes are the nodes that the case may use, as many as it needs.
	Nodes []string
	// Driver is the driver whose devices the case uses.
	Driver Driver

	abort    func(message string, callerSkip ...int) // ginkgo.Fail
	say      io.Writer                               // gets the steps: ginkgo.GinkgoWriter
	why      func() string                           // what ended the case
	ctx      context.Context                         // the run's, for the time of the case; Ginkgo hands it over as a value
	meta     spec.Meta
	env      *Env
	objects  Objects
	started  time.Time
	folder   string      // of the evidence
	lost     string      // why there is none
	timeline string      // its file, if there is one
	over     atomic.Bool // the case has ended, or was left behind
	// looking is how many waits look just now.
	looking atomic.Int32

	// A case that does not end in time is left behind and may still add to these.
	mu      sync.Mutex
	steps   []step
	created []Object
	blocked string // why a failure is not the case's own
	known   string
	// measured are the numbers that the case came to.
	measured []spec.Measurement
}

// Env is what all cases of a process share.
type Env struct {
	Config *rest.Config
	Plan   spec.Plan
	// Agents leads to the agents of the nodes.
	Agents agentapi.AgentClient
	// Driver returns the driver of a case. It starts the driver unless an earlier process of the
	// case did, which then is running.
	Driver func(t *T, running bool) Driver
	// Companions are the clients of companion programs, by name.
	Companions map[spec.Companion]any
	// Image is the image that cases' pods run: a busybox.
	Image string
	// ReportDir is where evidence goes, in one folder per case.
	ReportDir string
	// Journal is told when a case starts, comes to a step and ends; it must not block.
	Journal func(spec.Progress)
	// Timelines says of which cases a timeline is kept; empty means of none.
	Timelines spec.Timelines
	// Strict makes cases with a known issue fail.
	Strict bool
	// Keep leaves the objects of failed cases in place.
	Keep bool

	// Connect and RemoveTimeout are for tests: other clients than those of a cluster, and a
	// shorter time for removing pods and claims.
	Connect       func(*rest.Config) (kubernetes.Interface, Objects, error)
	RemoveTimeout time.Duration
}

type step struct {
	at   time.Time
	text string
}

// since is the step in one line, with the time since start.
func (s step) since(start time.Time) string {
	return fmt.Sprintf("%s +%.3fs %s", s.at.UTC().Format(time.RFC3339), s.at.Sub(start).Seconds(), s.text)
}

func newT(m spec.Meta, e *Env) *T {
	return &T{meta: m, env: e, Image: e.Image, started: time.Now(), abort: ginkgo.Fail, say: ginkgo.GinkgoWriter,
		why: func() string { return failureText(ginkgo.CurrentSpecReport()) }}
}

// Target is what a probe found of the cluster before the first case.
func (t *T) Target() spec.Target { return t.env.Plan.Target }

// Env is what all cases of the process share.
func (t *T) Env() *Env { return t.env }

// Meta describes the case.
func (t *T) Meta() spec.Meta { return t.meta }

// Context ends when the case's time is up.
func (t *T) Context() context.Context { return t.ctx }

// Step says what comes next; the last step is part of a failure's report, all of
// them are in Ginkgo's timeline.
func (t *T) Step(format string, args ...any) {
	s := t.add(format, args...)
	if t.env.Journal != nil {
		t.env.Journal(spec.Progress{Time: s.at, ID: t.meta.ID, Step: firstLine(s.text)})
	}
}

// add notes a step, or what was seen in one.
func (t *T) add(format string, args ...any) step {
	s := step{time.Now(), fmt.Sprintf(format, args...)}
	t.mu.Lock()
	t.steps = append(t.steps, s)
	t.mu.Unlock()
	_, _ = fmt.Fprintln(t.say, s.since(t.started))
	return s
}

// stepsSoFar returns what has been noted.
func (t *T) stepsSoFar() []step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.steps)
}

// Note adds to the steps what was seen.
func (t *T) Note(format string, args ...any) { t.add("  "+format, args...) }

// Expect is Gomega's, for facts that must hold now.
func (t *T) Expect(actual any, extra ...any) types.Assertion {
	return gomega.NewGomega(t.fail).Expect(actual, extra...)
}

// NoError ends the case if err is not nil; what says what was tried.
func (t *T) NoError(err error, what string, args ...any) {
	ginkgo.GinkgoHelper()
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(what, args...), err)
	}
}

// Fatalf ends the case.
func (t *T) Fatalf(format string, args ...any) {
	ginkgo.GinkgoHelper()
	t.fail(fmt.Sprintf(format, args...))
}

// SetBlocked says why a failure is not the case's own from now on; empty if it is.
func (t *T) SetBlocked(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = why
}

// Blockedf ends the case, of which something else than what it is about keeps it from saying
// anything.
func (t *T) Blockedf(format string, args ...any) {
	ginkgo.GinkgoHelper()
	t.SetBlocked(fmt.Sprintf(format, args...))
	t.Fatalf(format, args...)
}

// KnownIssue says that the case has seen Meta.KnownIssue, exactly that and nothing else,
// after it has waited for what is right as long as it would otherwise; the case checks
// the rest, or returns. Where it is no excuse, because the component is not Kubernetes'
// own or is a newer one, or because nothing is to be excused, this ends the case as any
// failure does.
func (t *T) KnownIssue(format string, args ...any) {
	ginkgo.GinkgoHelper()
	seen := fmt.Sprintf(format, args...)
	issue := t.meta.KnownIssue
	if issue == nil {
		t.Fatalf("%s", seen)
	}
	if excuse := t.excuse(); excuse.Not != "" {
		t.Fatalf("%s (%s is known for this, but %s)", seen, issue.Issue, excuse.Not)
	}
	if t.env.Strict {
		t.Fatalf("%s (known issue of %s, not excused with --strict)", seen, issue.Issue)
	}
	t.Step("known issue, %s: %s", issue.Issue, seen)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = seen
}

// excuse is what the known issue of the case excuses on its nodes.
func (t *T) excuse() plan.Excuse {
	return plan.ExcuseFor(*t.meta.KnownIssue, t.env.Plan.Target, t.Nodes)
}

// stayOut keeps a case that was left behind from ever returning: Ginkgo would
// take its end, or its failure, for that of the case that runs by then.
func (t *T) stayOut() {
	if t.over.Load() {
		select {}
	}
}

func (t *T) fail(message string, callerSkip ...int) {
	t.stayOut()
	skip := 1
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	t.abort(message, skip)
}

// firstLine is enough of a long text for a step.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

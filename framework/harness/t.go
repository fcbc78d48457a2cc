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

// T is the argument of a case. Its methods end the case on every unexpected error.
type T struct {
	Hooks

	// Client has all rights of the run's kubeconfig.
	Client kubernetes.Interface
	// Namespace is the case's own.
	Namespace string
	// Image is the busybox image of pods.
	Image string
	// Nodes are the case's nodes, as many as it needs.
	Nodes []string
	// Driver is the case's driver.
	Driver Driver

	abort   func(message string, callerSkip ...int) // ginkgo.Fail
	say     io.Writer                               // gets the steps: ginkgo.GinkgoWriter
	why     func() string                           // the failure of the case
	ctx     context.Context                         // the run's, for the time of the case; Ginkgo hands it over as a value
	meta    spec.Meta
	env     *Env
	objects Objects
	started time.Time
	scale   float64 // the factor of Case.TimeoutScale
	folder  string  // of the evidence
	// provisional evidence is of a known issue; it is replaced if the cleanup fails the case.
	provisional bool
	lost        string      // why there is none
	timeline    string      // its file, if there is one
	over        atomic.Bool // the case has ended, or was left behind
	// looking counts the waits currently in their look.
	looking atomic.Int32

	// A case left behind after its time may still add to these.
	mu      sync.Mutex
	steps   []step
	created []Object
	blocked string // why a failure is not the case's own
	known   string
	// measured are the case's measurements.
	measured []spec.Measurement
}

// Env is shared by all cases of a process.
type Env struct {
	Config *rest.Config
	Plan   spec.Plan
	// Agents is the client of the nodes' agents.
	Agents agentapi.AgentClient
	// Driver returns the driver of a case. It starts the driver unless an earlier process of the
	// case did, which then is running.
	Driver func(t *T, running bool) Driver
	// Companions are the clients of companion programs, by name.
	Companions map[spec.Companion]any
	// Image is the busybox image of cases' pods.
	Image string
	// PodTemplate is a pod spec merged with pods; with a driver under test its declaration has it.
	PodTemplate map[string]any
	// ReportDir is where evidence goes, in one directory per case.
	ReportDir string
	// Journal records the start, steps and end of cases; it must not block.
	Journal func(spec.Progress)
	// Timelines selects the cases whose timeline is kept; empty means none.
	Timelines spec.Timelines
	// Strict fails cases that see a known issue.
	Strict bool
	// Keep leaves the objects of failed cases in place.
	Keep bool
	// NamespacesStay skips deleting the (emptied) namespaces of cases, because the cluster is deleted
	// after the run. Namespace deletion causes half of a run's API requests.
	NamespacesStay bool

	// SetAside is the node of cases with HoldsNode. It has the taint SetAsideTaint, and other cases do not use it. Without
	// such a node these cases must be serial.
	SetAside string

	// Connect and RemoveTimeout are for tests: clients without a cluster, and less time for the
	// removal of pods and claims.
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

// Target is the cluster as probed before the first case.
func (t *T) Target() spec.Target { return t.env.Plan.Target }

// Env is shared by all cases of the process.
func (t *T) Env() *Env { return t.env }

// Meta describes the case.
func (t *T) Meta() spec.Meta { return t.meta }

// Context ends when the case's time is up.
func (t *T) Context() context.Context { return t.ctx }

// Step announces the next step. A failure reports the last one, Ginkgo's timeline has all of them.
func (t *T) Step(format string, args ...any) {
	s := t.add(format, args...)
	if t.env.Journal != nil {
		t.env.Journal(spec.Progress{Time: s.at, ID: t.meta.ID, Step: firstLine(s.text)})
	}
}

// add records a step or a note.
func (t *T) add(format string, args ...any) step {
	s := step{time.Now(), fmt.Sprintf(format, args...)}
	t.mu.Lock()
	t.steps = append(t.steps, s)
	t.mu.Unlock()
	_, _ = fmt.Fprintln(t.say, s.since(t.started))
	return s
}

// stepsSoFar returns the steps and notes.
func (t *T) stepsSoFar() []step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.steps)
}

// Note adds an observation to the steps.
func (t *T) Note(format string, args ...any) { t.add("  "+format, args...) }

// Expect is Gomega's Expect, without waiting.
func (t *T) Expect(actual any, extra ...any) types.Assertion {
	return gomega.NewGomega(t.fail).Expect(actual, extra...)
}

// NoError ends the case if err is not nil; what names the attempted action.
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

// SetBlocked sets why a failure is not the case's own from now on; empty if it is.
func (t *T) SetBlocked(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocked = why
}

// Blockedf ends the case as blocked: its environment, not its subject, kept it from a result.
func (t *T) Blockedf(format string, args ...any) {
	ginkgo.GinkgoHelper()
	t.SetBlocked(fmt.Sprintf(format, args...))
	t.Fatalf(format, args...)
}

// KnownIssue reports that the case has seen exactly Meta.KnownIssue, after waiting for the right
// behavior as long as usual. The case then checks the rest, or returns. If the issue is no excuse,
// because the component is not Kubernetes' own or does not have it, or the run is strict, KnownIssue
// fails the case. Evidence is gathered as for a failure.
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

// knownIssue is the symptom reported with KnownIssue, or empty.
func (t *T) knownIssue() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// excuse is how far the known issue excuses the case on its nodes.
func (t *T) excuse() plan.Excuse {
	return plan.ExcuseFor(*t.meta.KnownIssue, t.env.Plan.Target, t.Nodes)
}

// stayOut keeps a case left behind from returning: Ginkgo would attribute its end or failure to the
// running case.
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

// firstLine shortens a long text for a step.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

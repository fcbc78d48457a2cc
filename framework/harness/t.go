package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/framework/spec"
)

// T is what a case works with. Its methods end the case when something goes
// wrong that the case did not ask for.
type T struct {
	// Client talks to the cluster with all rights of the run's kubeconfig.
	Client kubernetes.Interface
	// Namespace is the case's own.
	Namespace string
	// Image is the image that pods run: a static busybox.
	Image string
	// Nodes are the nodes that the case may use, as many as it needs.
	Nodes []string
	// Driver is the case's own driver, running on all Nodes; nil if the case's
	// profile has no pools.
	Driver *Driver

	abort   func(message string, callerSkip ...int) // ginkgo.Fail
	ctx     context.Context                         // the run's, for the time of the case; Ginkgo hands it over as a value
	meta    spec.Meta
	env     *Env
	objects *resources.Resources
	started time.Time
	mutex   sync.Mutex // guards steps
	steps   []step
	failed  string // the last step when the case failed
	nudging sync.WaitGroup
	created []k8s.Object
	blocked bool
	folder  string
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
	return &T{meta: m, env: e, Image: e.Image, started: time.Now(), abort: ginkgo.Fail}
}

// Context ends when the case's time is up.
func (t *T) Context() context.Context { return t.ctx }

// Step says what comes next; the last step is part of a failure's report, all of
// them are in Ginkgo's timeline.
func (t *T) Step(format string, args ...any) {
	s := step{time.Now(), fmt.Sprintf(format, args...)}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.steps = append(t.steps, s)
	ginkgo.GinkgoWriter.Println(s.since(t.started))
}

// markFailed keeps the last step as the one in which the case failed: evidence and
// cleanup add more.
func (t *T) markFailed() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.failed == "" && len(t.steps) > 0 {
		t.failed = strings.TrimSpace(t.steps[len(t.steps)-1].text)
	}
}

// note adds to the steps what was seen.
func (t *T) note(format string, args ...any) { t.Step("  "+format, args...) }

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

func (t *T) fail(message string, callerSkip ...int) {
	skip := 1
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	t.markFailed()
	t.note("failed: %s", message)
	t.abort(message, skip)
}

// Create creates objects in the case's namespace (where they have one), labelled
// as dratest's own; they are removed when the case ends.
func (t *T) Create(objects ...k8s.Object) {
	ginkgo.GinkgoHelper()
	for _, o := range objects {
		t.own(o)
		// Before it is created, because it may have been even if that fails.
		t.created = append(t.created, o)
		t.Step("create %s", describe(o))
		t.NoError(t.objects.Create(t.ctx, o), "create %s", describe(o))
	}
}

// own gives an object the case's namespace and dratest's label.
func (t *T) own(o k8s.Object) {
	if !clusterScoped(o) {
		o.SetNamespace(t.Namespace)
	}
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[spec.LabelManagedBy] = spec.ManagedBy
	o.SetLabels(labels)
}

// Get reads an object anew.
func (t *T) Get(o k8s.Object) {
	ginkgo.GinkgoHelper()
	t.NoError(t.objects.Get(t.ctx, o.GetName(), o.GetNamespace(), o), "get %s", describe(o))
}

// Delete deletes an object and does not wait until it is gone.
func (t *T) Delete(o k8s.Object, options ...resources.DeleteOption) {
	ginkgo.GinkgoHelper()
	t.NoError(t.objects.Delete(t.ctx, o, options...), "delete %s", describe(o))
}

func describe(o k8s.Object) string {
	kind := fmt.Sprintf("%T", o)
	return strings.ToLower(kind[strings.LastIndex(kind, ".")+1:]) + " " + o.GetName()
}

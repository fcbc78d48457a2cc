package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
)

const namespace = "dratest-abcde"

// failure is what the end of a case would say.
type failure struct {
	message  string
	location types.CodeLocation
}

// fakeTime is the time of a case on a fake cluster: a wait that must fail takes all of
// it. What must not fail is done with succeeds.
const fakeTime = time.Second

// newFake is a T with a cluster that holds these objects.
func newFake(t *testing.T, objects ...runtime.Object) *T {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), fakeTime, errors.New("the time is up"))
	t.Cleanup(cancel)
	f := newT(spec.Meta{ID: "area/case", Checks: "It holds."}, &Env{ReportDir: t.TempDir()})
	f.Client, f.Namespace, f.ctx = fake.NewClientset(objects...), namespace, ctx
	f.abort = func(message string, skip ...int) {
		panic(failure{message, types.NewCodeLocation(skip[0] + 1)}) // as ginkgo.Fail does
	}
	return f
}

// failureOf is how a case ends that do is part of; nil if it does not end.
func failureOf(do func()) (f *failure) {
	defer func() {
		if p := recover(); p != nil {
			got := p.(failure)
			f = &got
		}
	}()
	do()
	return nil
}

// succeeds does what must not end the case, however slow the machine is.
func succeeds(t *testing.T, f *T, do func()) {
	t.Helper()
	hurried := f.ctx
	defer func() { f.ctx = hurried }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f.ctx = ctx
	if failed := failureOf(do); failed != nil {
		t.Error(failed.message)
	}
}

func pod(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: namespace}}
	p.Status.Phase = corev1.PodPending
	change(p)
	return p
}

func claim(change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: namespace}}
	change(c)
	return c
}

func event(name, reason, message string, at time.Time) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: namespace},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "pod", Namespace: namespace},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(at),
	}
}

// agents are drivers without nodes: what they were told is recorded, what they
// answer is set.
type agents struct {
	status   func(node string) (spec.DriverStatus, error)
	evidence func(node string) (map[string][]byte, error)
	started  []string
}

func (a *agents) Start(_ context.Context, node string, c spec.DriverConfig) error {
	a.started = append(a.started, node+" "+c.Name)
	slices.Sort(a.started)
	return nil
}

func (a *agents) Change(context.Context, string, string, spec.DriverChange) error { return nil }

func (a *agents) Status(_ context.Context, node, _ string) (spec.DriverStatus, error) {
	return a.status(node)
}

func (a *agents) Stop(context.Context, string, string) error { return nil }

func (a *agents) Evidence(_ context.Context, node string, _ time.Time) (map[string][]byte, error) {
	return a.evidence(node)
}

func (a *agents) KubeletLines(_ context.Context, node string, _ time.Time, text string) ([]byte, error) {
	return fmt.Appendf(nil, "%s %s kubelet[1]: I0101 00:00:00.000000       1 a.go:1] about %s\n", time.Now().Format("2006-01-02T15:04:05.999999-0700"), node, text), nil
}

func (*agents) RestartKubelet(context.Context, string) error { return nil }

func (*agents) RestartNode(context.Context, string) error { return nil }

func (*agents) PodResources(context.Context, string, string, string) (spec.PodResources, error) {
	return spec.PodResources{}, nil
}

func (w *world) CDIDevices(context.Context, string, string) ([]string, error) { return nil, nil }

func (w *world) PodMemory(context.Context, string, string) (int64, error) { return 0, nil }

package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// pollInterval is for facts that cannot be watched.
	pollInterval = 100 * time.Millisecond
	// pollPatience is how long a wait goes on while every look fails: a server or
	// an agent may be away for a moment.
	pollPatience = 15 * time.Second
)

// WaitPod waits until ok holds for a pod of the case; what says what that means.
// An error of ok ends the wait, and the case. The pod as it was when ok held is
// returned.
func (t *T) WaitPod(name, what string, ok func(*corev1.Pod) (bool, error)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.waitPod(t.ctx, name, what, ok)
}

// PodNow returns a pod of the case as it is now.
func (t *T) PodNow(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "there", func(*corev1.Pod) (bool, error) { return true, nil })
}

// WaitPodFor is WaitPod that gives up after a limit, in a case that may take longer for
// other reasons.
func (t *T) WaitPodFor(limit time.Duration, name, what string, ok func(*corev1.Pod) (bool, error)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ctx, cancel := context.WithTimeoutCause(t.ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	return t.waitPod(ctx, name, what, ok)
}

func (t *T) waitPod(ctx context.Context, name, what string, ok func(*corev1.Pod) (bool, error)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	t.Step("wait for pod %s to be %s", name, what)
	var last *corev1.Pod
	err := follow(ctx, t.onePod(name), func(p *corev1.Pod) (bool, error) {
		last = p
		return ok(p)
	})
	if err != nil {
		// That others hold the devices of a driver that was there is not its fault.
		if driver := t.env.subject(); driver != "" && last != nil && last.Spec.NodeName == "" {
			t.setBlocked(fmt.Sprintf("pod %s was not scheduled: no device of driver %s was free, or published", name, driver))
		}
		t.Fatalf("wait for pod %s to be %s: %v%s\nlast seen: %s", name, what, err, t.lastEvents(name), describePod(last))
	}
	t.note("pod %s is %s", name, what)
	return last
}

// WaitClaim waits until ok holds for a claim of the case; what says what that
// means. The claim as it was then is returned.
func (t *T) WaitClaim(name, what string, ok func(*resourceapi.ResourceClaim) bool) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	t.Step("wait for claim %s to be %s", name, what)
	var last *resourceapi.ResourceClaim
	err := follow(t.ctx, t.oneClaim(name), func(c *resourceapi.ResourceClaim) (bool, error) {
		last = c
		return ok(c), nil
	})
	if err != nil {
		t.Fatalf("wait for claim %s to be %s: %v%s\nlast seen: %s", name, what, err, t.lastEvents(name), describeClaim(last))
	}
	t.note("claim %s is %s", name, what)
	return last
}

// WaitPodGone waits until a pod does not exist any more.
func (t *T) WaitPodGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, "pod", name, t.onePod(name), describePod)
}

// WaitClaimGone waits until a claim does not exist any more.
func (t *T) WaitClaimGone(name string) {
	ginkgo.GinkgoHelper()
	waitGone(t, "claim", name, t.oneClaim(name), describeClaim)
}

func waitGone[O runtime.Object](t *T, kind, name string, from source, describe func(O) string) {
	ginkgo.GinkgoHelper()
	t.Step("wait for %s %s to be gone", kind, name)
	seen := ""
	err := followAll(t.ctx, from, func(left []O) bool {
		for _, o := range left {
			seen = describe(o)
		}
		return len(left) == 0
	})
	if err != nil {
		t.Fatalf("wait for %s %s to be gone: %v%s\nlast seen: %s", kind, name, err, t.lastEvents(name), seen)
	}
	t.note("%s %s is gone", kind, name)
}

// Poll waits for a fact that cannot be watched; look says whether it holds and
// what it saw.
func (t *T) Poll(what string, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	t.poll(what, pollPatience, look)
}

// poll is Poll that goes on for so long while every look fails.
func (t *T) poll(what string, patience time.Duration, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	saw := t.waits("wait for %s", what)
	last := "nothing"
	err := pollPatiently(t.ctx, patience, func(ctx context.Context) (bool, error) {
		ok, seen, err := t.look(ctx, look)
		if err == nil {
			last = seen
		}
		return ok, err
	})
	if err != nil {
		t.Fatalf("wait for %s: %v\nlast seen: %s", what, err, last)
	}
	saw(last)
}

// waits says what is waited for, and returns what says what was seen in the end. A Poll or Within
// in what another one looks at says neither: that one looks ten times a second, and has said what
// for. Nor does one that another goroutine of the case begins while one looks.
func (t *T) waits(format string, args ...any) (saw func(last string)) {
	if t.looking.Load() > 0 {
		return func(string) {}
	}
	t.Step(format, args...)
	return func(last string) { t.note("seen: %s", firstLine(last)) }
}

func (t *T) look(ctx context.Context, look func(ctx context.Context) (bool, string, error)) (bool, string, error) {
	t.looking.Add(1)
	defer t.looking.Add(-1)
	return look(ctx)
}

// pollUntil looks again and again until it sees what it waits for. It gives up
// when ctx ends, which is reported with its cause, and when looking has failed
// for longer than pollPatience.
func pollUntil(ctx context.Context, look func(ctx context.Context) (bool, error)) error {
	return pollPatiently(ctx, pollPatience, look)
}

func pollPatiently(ctx context.Context, patience time.Duration, look func(ctx context.Context) (bool, error)) error {
	var last error
	good := time.Now()
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		ok, err := look(ctx)
		if last = err; err == nil {
			good = time.Now()
			return ok, nil
		}
		if time.Since(good) > patience {
			return false, err
		}
		return false, nil
	})
	return withTrouble(withCause(ctx, err), last)
}

// firstLine is enough of a long text for a step.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

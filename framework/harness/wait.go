package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// pollInterval is for facts that cannot be watched.
const pollInterval = 50 * time.Millisecond

// WaitPod waits until ok holds for a pod of the case; what says what that means.
// The pod as it was then is returned.
func (t *T) WaitPod(name, what string, ok func(*corev1.Pod) bool) *corev1.Pod {
	ginkgo.GinkgoHelper()
	var last *corev1.Pod
	err := t.watch(t.Client.CoreV1().RESTClient(), "pods", &corev1.Pod{}, name, func(o runtime.Object) bool {
		last = o.(*corev1.Pod)
		return ok(last)
	})
	if err != nil {
		t.Fatalf("wait for pod %s to be %s: %v\nlast seen: %s%s", name, what, err, describePod(last), t.eventsOf(name))
	}
	t.note("pod %s is %s", name, what)
	return last
}

// WaitClaim waits until ok holds for a claim of the case.
func (t *T) WaitClaim(name, what string, ok func(*resourceapi.ResourceClaim) bool) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	var last *resourceapi.ResourceClaim
	err := t.watch(t.Client.ResourceV1().RESTClient(), "resourceclaims", &resourceapi.ResourceClaim{}, name, func(o runtime.Object) bool {
		last = o.(*resourceapi.ResourceClaim)
		return ok(last)
	})
	if err != nil {
		t.Fatalf("wait for claim %s to be %s: %v\nlast seen: %s%s", name, what, err, describeClaim(last), t.eventsOf(name))
	}
	t.note("claim %s is %s", name, what)
	return last
}

// WaitEvent waits until an event about an object of the case has a reason and
// contains a text.
func (t *T) WaitEvent(object, reason, text string) {
	ginkgo.GinkgoHelper()
	t.poll(fmt.Sprintf("event %s of %s that contains %q", reason, object, text), func(ctx context.Context) (bool, string, error) {
		events, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + object})
		if err != nil {
			return false, "", err
		}
		for _, e := range events.Items {
			if e.Reason == reason && strings.Contains(e.Message, text) {
				return true, "", nil
			}
		}
		return false, fmt.Sprintf("%d other events", len(events.Items)), nil
	})
}

// WaitGone waits until a pod or claim of the case does not exist any more.
func (t *T) WaitGone(what string, get func(ctx context.Context) (metav1.Object, error)) {
	ginkgo.GinkgoHelper()
	t.poll(what+" to be gone", func(ctx context.Context) (bool, string, error) {
		o, err := get(ctx)
		if apierrors.IsNotFound(err) {
			return true, "", nil
		}
		if err != nil {
			return false, "", err
		}
		return false, fmt.Sprintf("still there, deletionTimestamp %v, finalizers %v", o.GetDeletionTimestamp(), o.GetFinalizers()), nil
	})
}

// watch follows one object from now on until ok holds for it.
func (t *T) watch(client rest.Interface, resource string, kind runtime.Object, name string, ok func(runtime.Object) bool) error {
	lw := cache.NewListWatchFromClient(client, resource, t.Namespace, fields.OneTermEqualSelector("metadata.name", name))
	_, err := watchtools.UntilWithSync(t.ctx, lw, kind, nil, func(e watch.Event) (bool, error) {
		if e.Type == watch.Deleted {
			return false, fmt.Errorf("%s %s was deleted", resource, name)
		}
		return ok(e.Object), nil
	})
	if wait.Interrupted(err) {
		return context.Cause(t.ctx)
	}
	return err
}

// poll waits for a fact that cannot be watched; seen describes the last look.
func (t *T) poll(what string, look func(ctx context.Context) (ok bool, seen string, err error)) {
	ginkgo.GinkgoHelper()
	last := ""
	err := pollUntil(t.ctx, func() (bool, error) {
		ok, seen, err := look(t.ctx)
		last = seen
		return ok, err
	})
	if err != nil {
		t.Fatalf("wait for %s: %v\nlast seen: %s", what, err, last)
	}
	t.note("%s", what)
}

func pollUntil(ctx context.Context, look func() (bool, error)) error {
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) { return look() })
	if wait.Interrupted(err) || errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// waitEmpty waits until a list is empty and says what is left when it is not.
func waitEmpty(ctx context.Context, what string, list func() ([]string, error)) error {
	var left []string
	err := pollUntil(ctx, func() (bool, error) {
		var err error
		left, err = list()
		return len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for %s to be gone: %w; left: %s", what, err, strings.Join(left, ", "))
	}
	return nil
}

package soak

import (
	"context"
	"fmt"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness"
)

const (
	// lookEvery is the time between two looks at the fabric under load.
	lookEvery = time.Second
	// silence is for how long a fabric that is killed now and then may not answer.
	silence = 30 * time.Second
)

// fabricWatcher audits a fabric and the claims that have its devices.
type fabricWatcher struct {
	*watcher

	fabric harness.ComposedFabric

	mutex             sync.Mutex
	looks, unanswered int
	answered          time.Time
	// keys are those of the requests for which devices were seen to be attached.
	keys map[string]bool
}

// FabricCount is what was seen of a fabric.
type FabricCount struct {
	Devices int `json:"devices"`
	// Attached is for how many requests devices were seen to be attached.
	Attached int `json:"attached"`
	// Looks are those at fabric and claims together, Unanswered those at which the fabric
	// did not answer.
	Looks      int `json:"looks"`
	Unanswered int `json:"unanswered"`
}

func (w *fabricWatcher) summary() *FabricCount {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return &FabricCount{Devices: fabricDevices, Attached: len(w.keys), Looks: w.looks, Unanswered: w.unanswered}
}

// run audits until ctx ends.
func (w *fabricWatcher) run(ctx context.Context) {
	w.mutex.Lock()
	w.answered = time.Now()
	w.mutex.Unlock()
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if _, err := w.look(ctx, audit.Attached); err != nil && ctx.Err() == nil {
			w.ledger.problem("%v", err)
		}
	}, lookEvery)
}

// look adds what two reads without a change between them violate. clean is whether the
// fabric has answered and nothing was violated at all. A fabric that does not answer is an
// error only when it is silent for too long.
func (w *fabricWatcher) look(ctx context.Context, check func(audit.Fabric) []audit.Violation) (clean bool, err error) {
	seen, answered, err := w.readFabric(ctx)
	if err != nil || !answered {
		return false, err
	}
	first := check(seen)
	if len(first) == 0 {
		return true, nil
	}
	seen, answered, err = w.readFabric(ctx)
	if err != nil || !answered {
		return false, err
	}
	w.ledger.add(audit.Confirm(first, check(seen)))
	return false, nil
}

// readFabric reads what the rules are about: claims first, so that two reads with the same
// claims have seen the fabric in between.
func (w *fabricWatcher) readFabric(ctx context.Context) (seen audit.Fabric, answered bool, err error) {
	seen.Driver = w.driver
	claims, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceClaims(w.namespace).List, metav1.ListOptions{})
	if err != nil {
		return seen, false, fmt.Errorf("list claims: %w", err)
	}
	devices, err := w.fabric.Devices(ctx)
	if !w.hear(err == nil) {
		return seen, false, fmt.Errorf("the fabric does not answer for %s: %w", silence, err)
	}
	if err != nil {
		return seen, false, nil
	}
	published, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceSlices().List, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + w.driver})
	if err != nil {
		return seen, false, fmt.Errorf("list slices: %w", err)
	}
	pods, err := listed(ctx, w.retry, w.client.CoreV1().Pods(w.namespace).List, metav1.ListOptions{})
	if err != nil {
		return seen, false, fmt.Errorf("list pods: %w", err)
	}
	seen.Claims, seen.Slices, seen.Pods = claims.Items, published.Items, pods.Items
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, d := range devices {
		seen.Devices = append(seen.Devices, d)
		if d.Phase == "Attached" && !d.Elsewhere {
			w.keys[d.Key] = true
		}
	}
	return seen, true, nil
}

// hear counts a look, and says whether the silence is not too long.
func (w *fabricWatcher) hear(answered bool) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.looks++
	if answered {
		w.answered = time.Now()
		return true
	}
	w.unanswered++
	return time.Since(w.answered) < silence
}

// atRestOfFabric is what has to hold when no pod is left.
func atRestOfFabric(f audit.Fabric) []audit.Violation {
	return append(audit.Attached(f), audit.AttachedForNobody(f)...)
}

// settle waits until nothing that has to hold when no pod is left is violated, and adds
// what is after patience.
func (w *fabricWatcher) settle(ctx context.Context, patience time.Duration) error {
	// How this ends makes no difference: what counts is read again below.
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		seen, answered, err := w.readFabric(ctx)
		return err == nil && answered && len(atRestOfFabric(seen)) == 0, nil
	})
	before := w.ledger.violations()
	for range attempts {
		clean, err := w.look(ctx, atRestOfFabric)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || clean || w.ledger.violations() > before {
			return err
		}
	}
	return fmt.Errorf("the fabric still changes, or does not answer, %s after the last pod has gone", patience)
}

package sim

import (
	"context"
	"sync"
	"time"
)

// work counts the calls that a driver works on.
type work struct {
	mu        sync.Mutex
	now, most int64
}

// begin counts a call until what it returns is called.
func (w *work) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now++
	w.most = max(w.most, w.now)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}
}

// atOnce is the greatest number of calls at one time.
func (w *work) atOnce() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most
}

// toil takes a second, or until nobody waits for it any more (spec.FaultBusy).
func toil(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

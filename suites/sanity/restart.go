package sanity

import (
	"context"
	"time"
)

// restarting bounds the restart of a driver by whoever does it.
const restarting = 10 * time.Minute

// restart has the driver restarted and returns once it answers again. Meanwhile is done
// before that.
func (t *T) restart(meanwhile func()) {
	if t.Restart == nil {
		t.NotApplicablef("needs to restart the driver: say how (--restart)")
	}
	meanwhile()
	// Its time is not the check's, which may take as long again afterwards.
	t.timer.Stop()
	ctx, cancel := context.WithTimeout(t.ctx, restarting)
	defer cancel()
	t.need(t.Restart(ctx), "restart the driver")
	t.timer.Reset(t.limit())
	var last error
	if !t.await(func(ctx context.Context) bool {
		last = t.answers(ctx, t.version)
		return last == nil
	}) {
		t.Failf("the driver does not answer %s after it was restarted: %v", t.PublishTimeout, last)
	}
}

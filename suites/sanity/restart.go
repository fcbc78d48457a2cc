package sanity

import "context"

// restart has the driver restarted and returns once it answers again. Meanwhile is done
// before that.
func (t *T) restart(meanwhile func()) {
	if t.Restart == nil {
		t.NotApplicablef("needs to restart the driver: say how (--restart)")
	}
	meanwhile()
	t.need(t.Restart(t.ctx), "restart the driver")
	var last error
	if !t.await(func(ctx context.Context) bool {
		last = t.answers(ctx, t.version)
		return last == nil
	}) {
		t.Failf("the driver does not answer %s after it was restarted: %v", t.PublishTimeout, last)
	}
}

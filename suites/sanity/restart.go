package sanity

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dra-conformance/dratest/framework/spec"
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
	t.replace(t.Restart, "restart the driver")
}

// replace has the driver's process replaced and returns once the next one answers, in the
// newest version of the plugin API that it serves.
func (t *T) replace(by func(context.Context) error, what string) {
	// Its time is not the check's, which may take as long again afterwards.
	t.timer.Stop()
	ctx, cancel := context.WithTimeout(t.ctx, restarting)
	defer cancel()
	t.need(by(ctx), what)
	t.timer.Reset(t.limit())
	var last error
	if !t.await(func(ctx context.Context) bool {
		if last = t.answers(ctx, t.version); status.Code(last) == codes.Unimplemented {
			var versions []spec.GRPCVersion
			if versions, last = t.served(ctx); last == nil {
				t.version = versions[0]
			}
		}
		return last == nil
	}) {
		t.Failf("%s: the driver does not answer after %s: %v", what, t.PublishTimeout, last)
	}
}

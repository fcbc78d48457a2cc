package sanity

import (
	"context"

	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

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
		// A connection that failed is not tried again at once by itself.
		t.conn.ResetConnectBackoff()
		_, last = t.plugin(t.version).NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{})
		return last == nil
	}) {
		t.Failf("the driver does not answer %s after it was restarted: %v", t.PublishTimeout, last)
	}
}

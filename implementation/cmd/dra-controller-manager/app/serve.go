package app

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/component-base/metrics/prometheus/slis"
	genericapp "k8s.io/controller-manager/app"
	controllerhealthz "k8s.io/controller-manager/pkg/healthz"
)

// drain is how long requests may take that are under way when serving ends.
const drain = 5 * time.Second

// serve answers requests until ctx ends, and returns a channel that is closed when no
// request is being answered any more.
func serve(ctx context.Context, c *config, e *election, ready func() error) (<-chan struct{}, error) {
	if c.serving == nil {
		closed := make(chan struct{})
		close(closed)
		return closed, nil
	}
	live := e.checks()
	mux := genericapp.NewBaseHandler(&c.generic.Debugging, controllerhealthz.NewMutableHealthzHandler(live...))
	healthz.InstallLivezHandler(mux, live...)
	healthz.InstallReadyzHandler(mux, append(live, healthz.NamedCheck("controllers", func(*http.Request) error { return ready() }))...)
	slis.SLIMetricsWithReset{}.Install(mux)
	handler := genericapp.BuildHandlerChain(mux, &c.authorization, &c.authentication)
	stopped, _, err := c.serving.Serve(handler, drain, ctx.Done())
	return stopped, err
}

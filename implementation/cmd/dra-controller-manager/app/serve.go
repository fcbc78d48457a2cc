/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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

// drain is the time for pending requests when serving ends.
const drain = 5 * time.Second

// serve answers requests until ctx ends. The returned channel is closed after the last response.
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

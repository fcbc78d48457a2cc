package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
)

// servePlugin forwards a connection to a driver of the node, until either side ends it.
func (a *Agent) servePlugin(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != protocol.UpgradePlugin {
		respond(w, r, nil, func(context.Context) (any, error) {
			return nil, fmt.Errorf("%w: only for connections that are upgraded to %s", ErrInvalid, protocol.UpgradePlugin)
		})
		return
	}
	plugin, err := host.DialPlugin(r.Context(), a.config.registryDir(), a.config.HostRoot, r.PathValue("driver"))
	if err != nil {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, err })
		return
	}
	defer func() { _ = plugin.Close() }()
	caller, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, err })
		return
	}
	defer func() { _ = caller.Close() }()
	answer := fmt.Sprintf("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n%s: %s\r\n\r\n",
		protocol.UpgradePlugin, protocol.VersionHeader, protocol.Version)
	if _, err := io.WriteString(caller, answer); err != nil {
		klog.FromContext(r.Context()).V(2).Info("Answer was not taken", "path", r.URL.Path, "err", err)
		return
	}
	var copying sync.WaitGroup
	end := func() { _, _ = caller.Close(), plugin.Close() }
	copying.Go(func() { defer end(); _, _ = io.Copy(plugin, buffered) })
	copying.Go(func() { defer end(); _, _ = io.Copy(caller, plugin) })
	copying.Wait()
}

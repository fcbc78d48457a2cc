package sim

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/dra-conformance/dratest/drivers/nodefile"
	"github.com/dra-conformance/dratest/drivers/registration"
	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
	"github.com/dra-conformance/dratest/framework/spec"
)

// handleFaults serves what is done to drivers that the agent does not host, and what these
// have left.
func (a *Agent) handleFaults(mux *http.ServeMux) {
	mux.HandleFunc("DELETE "+protocol.Plugin+"{driver}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return nil, host.KillPlugin(ctx, a.config.registryDir(), a.config.HostRoot, r.PathValue("driver"))
		})
	})
	mux.HandleFunc("PUT "+protocol.Proxies+"{driver}", func(w http.ResponseWriter, r *http.Request) {
		var config spec.Proxy
		respond(w, r, &config, func(ctx context.Context) (any, error) { return nil, a.startProxy(ctx, r.PathValue("driver"), config) })
	})
	mux.HandleFunc("GET "+protocol.Proxies+"{driver}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return a.proxyStatus(r.PathValue("driver")) })
	})
	mux.HandleFunc("DELETE "+protocol.Proxies+"{driver}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, a.stopProxy(r.PathValue("driver")) })
	})
	mux.HandleFunc("GET "+protocol.Registrations, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return registration.List(ctx, a.config.registryDir(), a.config.HostRoot)
		})
	})
	mux.HandleFunc("DELETE "+protocol.Sandbox+"{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return nil, host.StopSandbox(ctx, a.config.HostRoot, r.PathValue("namespace"), r.PathValue("pod"))
		})
	})
	mux.HandleFunc("PUT "+protocol.StaticPods+"{name}", func(w http.ResponseWriter, r *http.Request) {
		var manifest json.RawMessage
		respond(w, r, &manifest, func(context.Context) (any, error) {
			return nil, host.PutStaticPod(a.config.HostRoot, r.URL.Query().Get("dir"), r.PathValue("name"), manifest)
		})
	})
	mux.HandleFunc("DELETE "+protocol.StaticPods+"{name}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) {
			return nil, host.RemoveStaticPod(a.config.HostRoot, r.URL.Query().Get("dir"), r.PathValue("name"))
		})
	})
	mux.HandleFunc("PUT "+protocol.Checkpoint, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) {
			return nil, nodefile.Damage(a.config.HostRoot, r.URL.Query().Get("path"))
		})
	})
	mux.HandleFunc("DELETE "+protocol.Checkpoint, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) {
			return nil, nodefile.Restore(a.config.HostRoot, r.URL.Query().Get("path"))
		})
	})
}

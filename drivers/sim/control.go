package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim/evidence"
	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
	"github.com/dra-conformance/dratest/framework/spec"
)

// answering is the time that an answer has to get through the kubelet that is about to
// be restarted, alone or with its node.
const answering = 300 * time.Millisecond

// maxKubeletDown is how long a kubelet may be kept down.
const maxKubeletDown = 2 * time.Minute

// maxBody bounds a request: a profile of some thousand devices.
const maxBody = 16 << 20

// Handler is the agent's control endpoint, as package protocol says. It checks
// nobody's identity and must only listen on loopback.
func (a *Agent) Handler() http.Handler {
	mux := http.NewServeMux()
	driver := protocol.Drivers + "{name}"
	mux.HandleFunc("PUT "+driver, func(w http.ResponseWriter, r *http.Request) {
		var config spec.DriverConfig
		respond(w, r, &config, func(ctx context.Context) (any, error) {
			if config.Name != r.PathValue("name") {
				return nil, fmt.Errorf("%w: the path names driver %q, the body %q", ErrInvalid, r.PathValue("name"), config.Name)
			}
			return nil, a.Start(ctx, config)
		})
	})
	mux.HandleFunc("GET "+protocol.Drivers+"{$}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return a.Drivers(), nil })
	})
	mux.HandleFunc("PATCH "+driver, func(w http.ResponseWriter, r *http.Request) {
		var change spec.DriverChange
		respond(w, r, &change, func(ctx context.Context) (any, error) {
			return nil, a.Change(ctx, r.PathValue("name"), change)
		})
	})
	mux.HandleFunc("GET "+driver, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return a.Status(r.PathValue("name")) })
	})
	mux.HandleFunc("DELETE "+driver, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) { return nil, a.Stop(ctx, r.PathValue("name")) })
	})
	mux.HandleFunc("GET "+protocol.EvidencePath, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) { return a.collect(ctx, r.URL.Query().Get("since")) })
	})
	mux.HandleFunc("GET "+protocol.KubeletLines, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return a.kubeletLines(ctx, r.URL.Query().Get("since"), r.URL.Query().Get("text"))
		})
	})
	mux.HandleFunc("GET "+protocol.PodResources+"{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return host.PodResources(ctx, a.config.podResources(), r.PathValue("namespace"), r.PathValue("pod"))
		})
	})
	mux.HandleFunc("GET "+protocol.CDIDevices, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			return host.CDIDevices(ctx, a.config.HostRoot, r.URL.Query().Get("container"))
		})
	})
	mux.HandleFunc("GET "+protocol.PodMemory+"{uid}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return host.PodMemory(a.config.HostRoot, r.PathValue("uid")) })
	})
	mux.HandleFunc("GET "+protocol.KubeletProgram, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(ctx context.Context) (any, error) {
			digest, err := host.ProgramDigest(ctx, a.config.podResources(), "/proc")
			return protocol.Program{Digest: digest}, err
		})
	})
	mux.HandleFunc("GET "+protocol.Plugin+"{driver}", a.servePlugin)
	a.handleFaults(mux)
	dirs := a.config.cdiDirs()
	mux.HandleFunc("GET "+protocol.Specs, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return dirs.Read() })
	})
	mux.HandleFunc("DELETE "+protocol.Specs, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, dirs.Remove(r.URL.Query().Get("path")) })
	})
	mux.HandleFunc("PUT "+protocol.Specs, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, dirs.Obstruct(r.URL.Query().Get("path")) })
	})
	a.handleRestart(mux, "POST "+protocol.Restart, host.RestartKubelet)
	a.handleRestart(mux, "POST "+protocol.RestartNode, host.RestartNode)
	a.handleRestart(mux, "DELETE "+protocol.KubeletCheckpoint, func(ctx context.Context, root string) error {
		return host.LoseCheckpoint(ctx, root, a.config.KubeletRoot)
	})
	mux.HandleFunc("POST "+protocol.KubeletDown, a.stopKubelet)
	mux.HandleFunc("GET "+protocol.Ready, func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, nil, func(context.Context) (any, error) { return nil, nil })
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(protocol.VersionHeader, protocol.Version)
		mux.ServeHTTP(w, r)
	})
}

// handleRestart answers requests for a restart before it does it.
func (a *Agent) handleRestart(mux *http.ServeMux, path string, restart func(ctx context.Context, root string) error) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { a.soon(w, r, restart) })
}

// stopKubelet has the kubelet stopped for the time of the query's "for".
func (a *Agent) stopKubelet(w http.ResponseWriter, r *http.Request) {
	down, err := time.ParseDuration(r.URL.Query().Get("for"))
	if err != nil || down <= 0 || down > maxKubeletDown {
		respond(w, r, nil, func(context.Context) (any, error) {
			return nil, fmt.Errorf("%w: for: %q is no time up to %s", ErrInvalid, r.URL.Query().Get("for"), maxKubeletDown)
		})
		return
	}
	a.soon(w, r, func(ctx context.Context, root string) error { return host.StopKubelet(ctx, root, down) })
}

// soon answers a request and then does something to the node whose root file system is root.
func (a *Agent) soon(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, root string) error) {
	respond(w, r, nil, func(ctx context.Context) (any, error) {
		ctx = context.WithoutCancel(ctx)
		time.AfterFunc(answering, func() {
			if err := do(ctx, a.config.HostRoot); err != nil {
				klog.FromContext(ctx).Error(err, "All stays as it is")
			}
		})
		return nil, nil
	})
}

// collect reads the node; logs start at an RFC 3339 time, if there is one.
func (a *Agent) collect(ctx context.Context, start string) (protocol.Evidence, error) {
	since, err := parseSince(start)
	if err != nil {
		return protocol.Evidence{}, err
	}
	node := evidence.Node{Root: a.config.HostRoot, KubeletRoot: a.config.KubeletRoot, CDI: a.config.cdiDirs()}
	files, missing := evidence.Collect(ctx, node, since)
	return protocol.Evidence{Files: files, Missing: missing}, nil
}

// kubeletLines reads the lines of the kubelet's log that contain a text.
func (a *Agent) kubeletLines(ctx context.Context, start, text string) (protocol.Lines, error) {
	since, err := parseSince(start)
	if err != nil {
		return protocol.Lines{}, err
	}
	log, err := evidence.KubeletLines(ctx, a.config.HostRoot, since, text)
	if err != nil {
		return protocol.Lines{Log: log, Problem: err.Error()}, nil
	}
	return protocol.Lines{Log: log}, nil
}

// parseSince reads an RFC 3339 time; none means from the beginning.
func parseSince(start string) (since time.Time, err error) {
	if start == "" {
		return since, nil
	}
	if since, err = time.Parse(time.RFC3339, start); err != nil {
		return since, fmt.Errorf("%w: since: %w", ErrInvalid, err)
	}
	return since, nil
}

// respond reads the body into in (unless that is nil), calls do and writes what
// it returns.
func respond(w http.ResponseWriter, r *http.Request, in any, do func(ctx context.Context) (any, error)) {
	var out any
	err := decode(w, r, in)
	if err == nil {
		out, err = do(r.Context())
	}
	status := http.StatusOK
	if err != nil {
		klog.FromContext(r.Context()).V(2).Info("Request failed", "method", r.Method, "path", r.URL.Path, "err", err)
		status, out = statusOf(err), protocol.Problem{Error: err.Error()}
	}
	if out == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(out); err != nil {
		klog.FromContext(r.Context()).V(2).Info("Answer was not taken", "path", r.URL.Path, "err", err)
	}
}

func decode(w http.ResponseWriter, r *http.Request, in any) error {
	if in == nil {
		return nil
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return fmt.Errorf("%w: read request: %w", ErrInvalid, err)
	}
	return nil
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, ErrExists):
		return http.StatusConflict
	default:
		return http.StatusInternalServerError
	}
}

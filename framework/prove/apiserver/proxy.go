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

package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/prove/proxy"
)

// Proxy is an HTTP server on loopback forwarding requests to an API server, with a client configuration's credentials
// and at most one active mutant. It runs until Close.
type Proxy struct {
	// Kubeconfig leads to the API server through it.
	Kubeconfig string

	server *http.Server
	state  atomic.Pointer[state]

	mutex  sync.Mutex
	faults []string
}

// state is a proxy's current mutant, until it is over.
type state struct {
	mutant *Mutant
	done   context.Context //nolint:containedctx // ends what was begun in this state
	over   context.CancelFunc
}

// Start starts a proxy of the API server of config, and writes its kubeconfig into an existing directory.
func Start(ctx context.Context, config *rest.Config, dir string) (p *Proxy, err error) {
	p = &Proxy{Kubeconfig: filepath.Join(dir, "kubeconfig-of-proxy")}
	p.Turn(nil)
	p.server, err = proxy.Serve(ctx, config, p.Kubeconfig, func(passing *httputil.ReverseProxy) http.Handler {
		passing.Transport = mutantTransport{next: passing.Transport, state: &p.state, fault: p.fault}
		passing.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
			p.fault(r, err)
			http.Error(w, "the proxy before the API server: "+err.Error(), http.StatusBadGateway)
		}
		return p.untilTurned(passing)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Turn activates a mutant; nil is none. Watches are closed, so clients resume them through the mutant.
func (p *Proxy) Turn(m *Mutant) {
	p.mutex.Lock()
	p.faults = nil
	p.mutex.Unlock()
	s := &state{mutant: m}
	s.done, s.over = context.WithCancel(context.Background())
	if old := p.state.Swap(s); old != nil {
		old.over()
	}
}

// fault records an error of the proxy itself. A client's disconnect is none.
func (p *Proxy) fault(r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.faults = append(p.faults, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
}

// Faults returns the proxy's own errors since Turn, as of a program failing for an object: such failures say nothing
// about the API server.
func (p *Proxy) Faults() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.faults)
}

// untilTurned closes watches when the proxy's mutant changes.
func (p *Proxy) untilTurned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			ctx, end := context.WithCancel(r.Context())
			defer end()
			defer context.AfterFunc(p.state.Load().done, end)()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// Close ends the proxy and all connections through it.
func (p *Proxy) Close() error { return p.server.Close() }

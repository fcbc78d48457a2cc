package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Proxy is an HTTP server on the loopback interface that passes requests on to an API
// server, with the credentials of a client's configuration, and has one of the mutants, or
// none. It keeps running until Close.
type Proxy struct {
	// Kubeconfig leads to the API server through it.
	Kubeconfig string

	server *http.Server
	state  atomic.Pointer[state]

	mutex  sync.Mutex
	faults []string
}

// state is what a proxy does at the moment, until it is over.
type state struct {
	mutant *Mutant
	done   context.Context //nolint:containedctx // ends what was begun in this state
	over   context.CancelFunc
}

// Start makes a proxy in front of the API server of config, and writes its kubeconfig into
// a folder that exists.
func Start(ctx context.Context, config *rest.Config, dir string) (*Proxy, error) {
	config = rest.CopyConfig(config)
	config.NextProtos = []string{"http/1.1"} // connections are upgraded, for port-forwards
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	p := &Proxy{Kubeconfig: filepath.Join(dir, "kubeconfig-of-proxy")}
	p.Turn(nil)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("stand before the API server: %w", err)
	}
	p.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: p.untilTurned(&httputil.ReverseProxy{
		Transport: broken{next: transport, state: &p.state, fault: p.fault}, FlushInterval: -1, // watches
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.fault(r, err)
			http.Error(w, "the proxy before the API server: "+err.Error(), http.StatusBadGateway)
		},
	})}
	go func() { _ = p.server.Serve(listener) }()
	through := clientcmdapi.NewConfig()
	through.Clusters["proxy"] = &clientcmdapi.Cluster{Server: "http://" + listener.Addr().String()}
	through.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	through.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*through, p.Kubeconfig); err != nil {
		return nil, errors.Join(fmt.Errorf("write a kubeconfig: %w", err), p.server.Close())
	}
	return p, nil
}

// Turn has the API server have a mutant from now on; nil is none. Watches end, so that those
// who watch go on with it from where they are.
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

// fault remembers an error of the proxy's own. That a client goes away is none.
func (p *Proxy) fault(r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.faults = append(p.faults, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
}

// Faults are the errors of the proxy's own since it was turned, as of a program that does
// not fit an object: what fails then says nothing of the API server.
func (p *Proxy) Faults() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.faults)
}

// untilTurned ends watches when the proxy gets another mutant, or none.
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

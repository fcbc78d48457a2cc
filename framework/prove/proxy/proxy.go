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

package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Serve starts a proxy on loopback forwarding requests to the API server of config, with its credentials, and writes
// its kubeconfig. The handler returned by around gets the requests first.
func Serve(ctx context.Context, config *rest.Config, kubeconfig string, around func(*httputil.ReverseProxy) http.Handler) (*http.Server, error) {
	config = rest.CopyConfig(config)
	config.NextProtos = []string{"http/1.1"} // connections are upgraded, for port-forwards
	transport, transportErr := rest.TransportFor(config)
	target, err := url.Parse(config.Host)
	if err := errors.Join(transportErr, err); err != nil {
		return nil, fmt.Errorf("use the kubeconfig for %s: %w", config.Host, err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("stand before the API server: %w", err)
	}
	rewrite := func(r *httputil.ProxyRequest) { r.SetURL(target) }
	handler := around(&httputil.ReverseProxy{Transport: transport, Rewrite: rewrite, FlushInterval: -1}) // watches
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	through := clientcmdapi.NewConfig()
	through.CurrentContext = "proxy"
	through.Clusters["proxy"] = &clientcmdapi.Cluster{Server: "http://" + listener.Addr().String()}
	through.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	if err := clientcmd.WriteToFile(*through, kubeconfig); err != nil {
		return nil, errors.Join(fmt.Errorf("write a kubeconfig: %w", err), server.Close())
	}
	return server, nil
}

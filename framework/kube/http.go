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

package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/limit"
)

// maxAnswer is the size limit of a response of the API server, in bytes: client-go reads responses into memory. A list of
// 100,000 pods takes about half of it.
const maxAnswer = 1 << 30

// HTTPClientFor is rest.HTTPClientFor with limits. Responses have a maximum size, except watches and followed logs.
// Requests end with their context even if the kubeconfig's credential plugin hangs: client-go runs plugins without a
// context.
func HTTPClientFor(config *rest.Config) (*http.Client, error) {
	web, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	bounded := *web // may be http.DefaultClient
	if bounded.Transport == nil {
		bounded.Transport = http.DefaultTransport
	}
	if config.ExecProvider != nil {
		bounded.Transport = withPlugin{bounded.Transport, config.ExecProvider.Command}
	}
	bounded.Transport = withLimit{bounded.Transport, maxAnswer}
	return &bounded, nil
}

// withLimit limits the size of responses.
type withLimit struct {
	http.RoundTripper

	max int64
}

// WrappedRoundTripper implements net.RoundTripperWrapper of k8s.io/apimachinery.
func (w withLimit) WrappedRoundTripper() http.RoundTripper { return w.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w withLimit) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.RoundTripper.RoundTrip(request)
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols || isStream(request) {
		return response, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{limit.Reader(response.Body, w.max), response.Body}
	return response, nil
}

// isStream reports whether the response to a request is endless.
func isStream(request *http.Request) bool {
	query := request.URL.Query()
	return query.Get("watch") != "" || query.Get("follow") != ""
}

// withPlugin runs each request in a goroutine. If its context ends while it waits for the plugin, the goroutine leaks.
type withPlugin struct {
	http.RoundTripper

	plugin string
}

// WrappedRoundTripper implements net.RoundTripperWrapper of k8s.io/apimachinery.
func (w withPlugin) WrappedRoundTripper() http.RoundTripper { return w.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w withPlugin) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer)
	go func() {
		response, err := w.RoundTripper.RoundTrip(request)
		select {
		case answers <- answer{response, err}:
		case <-ctx.Done():
			if response != nil {
				_ = response.Body.Close()
			}
		}
	}()
	select {
	case a := <-answers:
		return a.response, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the API server or the kubeconfig's credential plugin %s did not respond", context.Cause(ctx), w.plugin)
	}
}

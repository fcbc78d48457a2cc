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

package sim

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/spec"
)

// client returns a driver's API client. Errors: ErrInvalid for a client of its own if the agent publishes, since it
// would not be used.
func (c Config) client(config spec.DriverConfig) (kubernetes.Interface, error) {
	access := config.Access
	if access.Token == "" && len(access.Versions) == 0 {
		return c.Client, nil
	}
	if config.Publishing != spec.PublishByHelper {
		return nil, fmt.Errorf("%w: a driver with access of its own has to leave publishing to the helper", ErrInvalid)
	}
	if c.REST == nil {
		return nil, fmt.Errorf("%w: this agent has only one way to the API server", ErrInvalid)
	}
	own := rest.CopyConfig(c.REST)
	if access.Token != "" {
		own = rest.AnonymousClientConfig(c.REST)
		own.BearerToken = access.Token
	}
	own.QPS = -1
	if len(access.Versions) > 0 {
		own.Wrap(func(next http.RoundTripper) http.RoundTripper { return older{next: next, serves: access.Versions} })
	}
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, fmt.Errorf("make a client for a driver: %w", err)
	}
	return client, nil
}

// older simulates an API server with only these versions of resource.k8s.io.
type older struct {
	next   http.RoundTripper
	serves []string
}

// RoundTrip implements http.RoundTripper. Other versions get the answer of an API server without them.
func (o older) RoundTrip(request *http.Request) (*http.Response, error) {
	path, ours := strings.CutPrefix(request.URL.Path, "/apis/resource.k8s.io/")
	version, _, _ := strings.Cut(path, "/")
	if !ours || slices.Contains(o.serves, version) {
		return o.next.RoundTrip(request)
	}
	if request.Body != nil {
		_ = request.Body.Close()
	}
	return &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: io.NopCloser(bytes.NewBufferString("404 page not found\n")),
	}, nil
}

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
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/dra-conformance/dratest/framework/limit"
)

// kubelet runs a command without an end: it writes until nobody reads.
func kubelet(t *testing.T, writesTo string) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := httpstream.Handshake(r, w, []string{"v4.channel.k8s.io"}); err != nil {
			t.Error(err)
			return
		}
		const count = 3 // stdout, stderr and the error stream
		type opened struct {
			httpstream.Stream

			replied <-chan struct{}
		}
		streams := make(chan opened, count)
		conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
			streams <- opened{s, replied}
			return nil
		})
		if conn == nil {
			return
		}
		defer func() { _ = conn.Close() }()
		// Earlier output could block the replies: the client reads it when it has all streams.
		var to httpstream.Stream
		for range count {
			s := <-streams
			<-s.replied
			if s.Headers().Get(corev1.StreamType) == writesTo {
				to = s
			}
		}
		for {
			if _, err := to.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// client-go drops errors of writers: Exec succeeded although a part of the output was missing, and a command without an
// end ran until the case's time was up.
func TestExecFailsIfItsOutputCannotBeWritten(t *testing.T) {
	for stream, want := range map[string]error{corev1.StreamTypeStdout: io.ErrShortWrite, corev1.StreamTypeStderr: limit.ErrTooBig} {
		var stderr bytes.Buffer
		err := Exec(t.Context(), kubelet(t, stream), "ns", "pod", "c", []string{"yes"}, full{}, &stderr)
		if !errors.Is(err, want) || stderr.Len() > maxErrors {
			t.Errorf("%s: got error %v with %d bytes", stream, err, stderr.Len())
		}
	}
}

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

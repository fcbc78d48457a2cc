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

package client

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/streaming/pkg/httpstream"
)

// half is one stream of a port-forward: it delivers text, then EOF.
type half struct {
	io.Reader

	resets int
}

func (*half) Write(p []byte) (int, error) { return len(p), nil }
func (*half) Close() error                { return nil }
func (h *half) Reset() error              { h.resets++; return nil }
func (*half) Headers() http.Header        { return nil }
func (*half) Identifier() uint32          { return 0 }

type forward struct {
	httpstream.Connection

	removed int
	closed  bool
}

func (f *forward) Close() error { f.closed = true; return nil }

func (f *forward) RemoveStreams(streams ...httpstream.Stream) { f.removed += len(streams) }

func TestStream(t *testing.T) {
	tests := []struct{ name, data, problem, want string }{
		{"data", "hello", "", ""},
		{"refused", "", "dial tcp 127.0.0.1:7471: connection refused", "port-forward: dial tcp 127.0.0.1:7471: connection refused"},
		{"data, then broken", "hello", "lost", "port-forward: lost"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, problems, f := &half{Reader: strings.NewReader(test.data)}, &half{Reader: strings.NewReader(test.problem)}, &forward{}
			s := newStream(f, data, problems)
			<-s.reported
			got, err := io.ReadAll(s)
			if string(got) != test.data || (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
				t.Errorf("read %q, %v; want %q, %q", got, err, test.data, test.want)
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
			if f.closed != (test.problem != "") {
				t.Errorf("port-forward closed: %v", f.closed)
			}
			if data.resets != 1 || problems.resets != 1 || f.removed != 2 {
				t.Errorf("closed %d and %d times, %d streams removed", data.resets, problems.resets, f.removed)
			}
		})
	}
}

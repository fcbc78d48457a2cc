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
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/streaming/pkg/httpstream"
)

// lost is a port-forward to a lost node: nothing is answered until it is closed or the library times out.
type lost struct {
	httpstream.Connection
	closed chan bool
}

func (l *lost) CreateStream(http.Header) (httpstream.Stream, error) {
	<-l.closed
	return nil, errors.New("closed")
}

func (l *lost) Close() error { close(l.closed); return nil }

type working struct{ forward }

func (*working) CreateStream(http.Header) (httpstream.Stream, error) {
	return &half{Reader: strings.NewReader("")}, nil
}

// After a reboot of its node a tunnel waited half a minute on the old connection, with the agent long back.
func TestLostPortForwardIsReplaced(t *testing.T) {
	gone := &lost{closed: make(chan bool)}
	opened := 0
	tunnel := &tunnel{forward: gone, connect: func(context.Context) (httpstream.Connection, error) {
		opened++
		return &working{}, nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := tunnel.dial(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("dial whose time is over: %v, want %v", err, context.Canceled)
	}
	<-gone.closed
	conn, err := tunnel.dial(t.Context())
	if err != nil || conn == nil || opened != 1 {
		t.Fatalf("next dial: %v, %d port-forwards opened, want one", err, opened)
	}
}

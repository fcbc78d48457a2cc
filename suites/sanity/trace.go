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

package sanity

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

const (
	// mostCalls is the number of recorded calls per check.
	mostCalls = 500
	// longestMessage is the recorded length of a message.
	longestMessage = 4000
)

// trace records the calls of a check, as evidence.
type trace struct {
	mutex   sync.Mutex
	started time.Time
	calls   []string
}

func (t *trace) reset() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.started, t.calls = time.Now(), nil
}

func (t *trace) lines() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.calls)
}

func (t *trace) add(format string, args ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.calls) < mostCalls {
		t.calls = append(t.calls, fmt.Sprintf("%7.3fs ", time.Since(t.started).Seconds())+fmt.Sprintf(format, args...))
	}
}

// intercept records a call with its answer.
func (t *trace) intercept(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := invoke(ctx, method, request, answer, conn, options...)
	result := shortened(answer)
	if err != nil {
		result = shortened(status.Convert(err))
	}
	t.add("%s %s -> %s", path.Base(method), shortened(request), result)
	return err
}

func shortened(message any) string {
	text := fmt.Sprint(message)
	if len(text) > longestMessage {
		return fmt.Sprintf("%s… (%d bytes)", text[:longestMessage], len(text))
	}
	return text
}

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

package prebind

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// heldResource is requested by the pod to be held in Filter.
const heldResource = "held.dra-conformance.github.io/pod"

// holder is a scheduler extender with responses delayed until released. Meanwhile the pod is in
// flight.
type holder struct {
	url     string
	asked   chan struct{} // closed on the first request
	release chan struct{}
	server  http.Server
	once    sync.Once
	done    sync.WaitGroup
}

func newHolder() (*holder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // listening does not block
	if err != nil {
		return nil, err
	}
	h := &holder{url: "http://" + listener.Addr().String(), asked: make(chan struct{}), release: make(chan struct{})}
	h.server = http.Server{Handler: http.HandlerFunc(h.filter), ReadHeaderTimeout: time.Minute}
	h.done.Go(func() {
		if err := h.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	})
	return h, nil
}

// filter accepts all nodes after the release. The fields are those of
// k8s.io/kube-scheduler/extender/v1.
func (h *holder) filter(w http.ResponseWriter, r *http.Request) {
	var args struct{ NodeNames []string }
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.once.Do(func() { close(h.asked) })
	select {
	case <-h.release:
	case <-r.Context().Done():
		return
	}
	_ = json.NewEncoder(w).Encode(args) // the scheduler reports a missing response
}

func (h *holder) close() {
	_ = h.server.Close()
	h.done.Wait()
}

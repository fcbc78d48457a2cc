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

package job

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// "sonobuoy status" showed no progress for the whole run.
func TestReporter(t *testing.T) {
	var bodies []string
	status := http.StatusOK
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/progress" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(status)
	}))
	defer worker.Close()
	address, err := url.Parse(worker.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReporter(address.Port())
	for n := range 100 {
		r.Post(Progress{Message: "core/count Failed", Total: 100, Completed: n + 1, Failures: []string{"core/count"}})
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if last := bodies[len(bodies)-1]; last != `{"msg":"core/count Failed","total":100,"completed":100,"failures":["core/count"]}` {
		t.Errorf("got %d, the last is %s", len(bodies), last)
	}
	status = http.StatusInternalServerError
	r = NewReporter(address.Port())
	r.Post(Progress{})
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("got %v", err)
	}
}

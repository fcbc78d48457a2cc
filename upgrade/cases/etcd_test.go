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

package cases

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPut(t *testing.T) {
	stored := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Key, Value []byte }
		switch err := json.NewDecoder(r.Body).Decode(&asked); {
		case err != nil || r.URL.Path != "/v3/kv/put" || r.Method != http.MethodPost:
			w.WriteHeader(http.StatusBadRequest)
		case string(asked.Key) == "refused":
			http.Error(w, "no space", http.StatusServiceUnavailable)
		default:
			stored[string(asked.Key)] = string(asked.Value)
		}
	}))
	defer server.Close()
	if err := put(t.Context(), server.Client(), server.URL, "/registry/a/b/c", []byte(`{"a":1}`)); err != nil || stored["/registry/a/b/c"] != `{"a":1}` {
		t.Errorf("%v, stored: %v", err, stored)
	}
	if err := put(t.Context(), server.Client(), server.URL, "refused", nil); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v", err)
	}
}

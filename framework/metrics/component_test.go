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

package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGet(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprintln(w, "# TYPE claims gauge\nclaims 3")
	}))
	defer server.Close()
	families, err := get(t.Context(), server.URL, "right")
	if err != nil || families["claims"].GetMetric()[0].GetGauge().GetValue() != 3 {
		t.Errorf("got %v, %v", families, err)
	}
	if _, err := get(t.Context(), server.URL, "wrong"); err == nil || !strings.Contains(err.Error(), "it answers 403 Forbidden") {
		t.Errorf("got error %v", err)
	}
}

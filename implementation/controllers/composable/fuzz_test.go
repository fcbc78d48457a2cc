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

package composable_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/implementation/controllers/composable"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// answers is a fabric with the same answer to all requests.
type answers struct {
	status int
	body   []byte
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Body: io.NopCloser(bytes.NewReader(a.body)), Header: http.Header{}}, nil
}

// FuzzAnswers checks that a fabric's inventory is valid or refused, and that a task is refused or has an answer.
func FuzzAnswers(f *testing.F) {
	f.Add(200, []byte(`{"revision":1,"models":[{"name":"m","free":2}],"devices":[{"id":"d","model":"m","phase":"Attached","node":"n","key":"k"}],"tasks":[]}`))
	f.Add(409, []byte(`{"message":"none is free"}`))
	f.Add(500, []byte(`null`))
	token := filepath.Join(f.TempDir(), "token")
	if err := os.WriteFile(token, []byte("t"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 100 || status > 599 {
			return
		}
		m := composable.Manager{Base: "https://fabric.example.com", TokenFile: token, HTTP: &http.Client{Transport: answers{status, body}}}
		if inventory, err := m.Inventory(t.Context()); err == nil {
			if err := inventory.Validate(); err != nil {
				t.Error(err)
			}
		} else if len(inventory.Devices) > 0 {
			t.Errorf("devices of a refused inventory: %+v", inventory)
		}
		if answer, err := m.Attach(t.Context(), fabricplan.Attach{Key: "k", Model: "m", Node: "n"}); err == nil && status >= 400 && answer.Refused == "" {
			t.Errorf("status %d is the answer %+v", status, answer)
		}
		_ = m.Detach(t.Context(), fabricplan.Detach{Device: "d", Key: "k"})
	})
}

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

package fabric

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzParseConfig checks that an accepted configuration is valid and makes a state.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("adminToken: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nclusters: [{name: c, token: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}]\nmodels: [{name: m, count: 2}]\n"))
	f.Add([]byte("---\n---\nmodels: &a [{count: -1}]\nscript: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err != nil {
			return
		}
		for i := range c.Models {
			c.Models[i].Count = min(c.Models[i].Count, 10)
		}
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if _, err := c.state(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzState checks that a server refuses a damaged state, or serves it.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"models":{"m":{}},"devices":{"m-0":{"id":"m-0","model":"m","phase":"Free"}},"tasks":{"1":{"id":"1","device":"m-0","phase":"Running"}},"keys":{"k":"1"}}`))
	f.Add([]byte(`{"devices":{"a":null},"tasks":{"1":null},"keys":{"k":"2"},"script":[{}]}`))
	f.Add([]byte(`{"models":null,"devices":null,"tasks":null,"keys":null}`))
	file := filepath.Join(f.TempDir(), "state.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := NewServer(fuzzed(), file)
		if err != nil {
			return
		}
		s.state.Inventory("c", time.Now())
		for id := range s.state.Tasks {
			_, _ = s.state.Task("c", id, time.Now())
		}
		_, _ = s.state.Attach("c", AttachRequest{Key: "k", Model: "m", Node: "n"}, time.Now())
		_, _ = s.state.Detach("c", DetachRequest{}, time.Now())
	})
}

// FuzzRequests checks that a client's requests get an answer, never an internal error, and leave a state that can be
// read again.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"key":"k","model":"m","node":"n"}`), []byte(`{"key":"k","device":"m-0"}`))
	f.Add([]byte(`{"key":"k"}{}`), []byte(`null`))
	file := filepath.Join(f.TempDir(), "state.json")
	f.Fuzz(func(t *testing.T, attach, detach []byte) {
		_ = os.Remove(file)
		s, err := NewServer(fuzzed(), file)
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range []string{AttachPath, DetachPath} {
			body := [][]byte{attach, detach}[i]
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+fuzzed().Clusters[0].Token)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code == http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s of %s: %d %s", path, body, w.Code, w.Body)
			}
		}
		s.Close()
		if _, err := NewServer(fuzzed(), file); err != nil {
			t.Error(err)
		}
	})
}

func fuzzed() Config {
	return Config{
		AdminToken: strings.Repeat("a", 32), Clusters: []Client{{Name: "c", Token: strings.Repeat("b", 32)}},
		Models: []ModelConfig{{Name: "m", Count: 2}},
	}
}

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
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/implementation/controllers/composable"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// manager queries a server with one fixed response and returns the requests received.
func manager(t *testing.T, status int, body string) (composable.Manager, *string) {
	t.Helper()
	var asked string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.UserAgent() + " " + string(got)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return composable.Manager{Base: server.URL + "/", TokenFile: file, HTTP: server.Client()}, &asked
}

func TestManagerAttaches(t *testing.T) {
	m, asked := manager(t, http.StatusOK, `{"id": "task-1", "phase": "Running", "device": "a100-0"}`)
	answer, err := m.Attach(t.Context(), fabricplan.Attach{Key: "k", Model: "a100", Node: "worker"})
	if err != nil || answer.Task.Phase != fabricplan.TaskRunning || answer.Task.Device != "a100-0" || answer.Refused != "" {
		t.Errorf("got %+v, %v", answer, err)
	}
	if want := `POST /v1/attach Bearer secret dra-composable-controller {"key":"k","model":"a100","node":"worker"}`; *asked != want {
		t.Errorf("asked %s", *asked)
	}
}

func TestManagerIsRefused(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusConflict: fabricplan.ReasonNoneFree, http.StatusGone: fabricplan.ReasonKeyUsed,
		http.StatusUnprocessableEntity: fabricplan.ReasonRefused, http.StatusNotFound: fabricplan.ReasonRefused,
	} {
		m, _ := manager(t, status, `{"message": "because"}`)
		if answer, err := m.Attach(t.Context(), fabricplan.Attach{}); err != nil || answer.Refused != want || answer.Message != "because" {
			t.Errorf("%d: got %+v, %v", status, answer, err)
		}
	}
	for status, want := range map[int]string{http.StatusUnauthorized: "check the token", http.StatusInternalServerError: "because"} {
		m, _ := manager(t, status, `{"message": "because"}`)
		if _, err := m.Attach(t.Context(), fabricplan.Attach{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got %v", status, err)
		}
	}
}

func TestManagerDetaches(t *testing.T) {
	m, asked := manager(t, http.StatusOK, `{}`)
	if err := m.Detach(t.Context(), fabricplan.Detach{Device: "a100-0", Key: "k"}); err != nil || !strings.HasSuffix(*asked, `{"device":"a100-0","key":"k"}`) {
		t.Errorf("asked %s, %v", *asked, err)
	}
	m, _ = manager(t, http.StatusNotFound, "")
	if err := m.Detach(t.Context(), fabricplan.Detach{}); err != nil {
		t.Errorf("what is not attached any more: %v", err)
	}
}

// A fabric reported 9e18 free devices: the controller counted until it ran out of memory. Endless responses had the same
// effect.
func TestManagerRejectsImpossibleAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`{"models":[{"name":"a","free":9000000000000000000}]}`:                     `model "a" has 9000000000000000000 free devices`,
		`{"models":[{"name":"a","free":-1}]}`:                                      `model "a" has -1 free devices`,
		`{"models":[{"name":"a","free":60000},{"name":"b","free":60000}]}`:         "the models have more than",
		`{"models":[{"name":"` + strings.Repeat("x", 64<<20) + `"}]}`:              "too big",
		`{"devices":[` + strings.Repeat(`{},`, 100_000) + `{}]}`:                   "100001 devices are attached",
		`{"models":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000): "read the fabric's answer",
	} {
		m, _ := manager(t, http.StatusOK, body)
		if _, err := m.Inventory(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %.200v, want %s", err, want)
		}
	}
	m, _ := manager(t, http.StatusConflict, `{"message": "`+strings.Repeat("x", 1<<20)+`"}`)
	if answer, err := m.Attach(t.Context(), fabricplan.Attach{}); err != nil || answer.Refused != fabricplan.ReasonNoneFree || len(answer.Message) > 4<<10 {
		t.Errorf("got %s with a message of %d bytes, %v", answer.Refused, len(answer.Message), err)
	}
}

func TestManagerWithoutToken(t *testing.T) {
	m, _ := manager(t, http.StatusOK, "{}")
	m.TokenFile += "x"
	if _, err := m.Inventory(t.Context()); err == nil || !strings.Contains(err.Error(), "read the token") {
		t.Errorf("got %v", err)
	}
}

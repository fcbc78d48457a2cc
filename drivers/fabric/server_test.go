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
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func config() Config {
	return Config{
		Clusters: []Client{{"c1", "t1"}, {"c2", "t2"}}, AdminToken: "admin",
		Models: []ModelConfig{{Name: "a", Count: 2, Attributes: map[string]string{"vendor": "x"}}},
	}
}

// serve serves the state in a file over TLS.
func serve(t *testing.T, file string) (*Server, func(token string) Manager) {
	t.Helper()
	s, err := NewServer(config(), file)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewTLSServer(s)
	t.Cleanup(web.Close)
	return s, func(token string) Manager { return Manager{Base: web.URL, Token: token, HTTP: web.Client()} }
}

func TestServerKeepsWhatItAnswered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	_, as := serve(t, file)
	if _, err := as("admin").SetScript(t.Context(), []Rule{{Takes: metav1.Duration{Duration: time.Hour}}}); err != nil {
		t.Fatal(err)
	}
	task, err := as("t1").Attach(t.Context(), request("k"))
	if err != nil {
		t.Fatal(err)
	}
	// Another process with the same file.
	later, as := serve(t, file)
	if got, err := as("t1").Task(t.Context(), task.ID); err != nil || got.Phase != Running {
		t.Errorf("after a restart the task is %+v, %v", got, err)
	}
	later.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if got, err := as("t1").Task(t.Context(), task.ID); err != nil || got.Phase != Succeeded {
		t.Errorf("when its time is over: %+v, %v", got, err)
	}
	inventory, err := as("t2").Inventory(t.Context())
	if err != nil || inventory.Models[0].Free != 1 || inventory.Models[0].Attributes["vendor"] != "x" {
		t.Errorf("the other cluster sees %+v, %v", inventory, err)
	}
}

// A process may replace one server by another with the same file: a pending request of the first must not overwrite
// the state of the second.
func TestClosedServerWritesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	first, as := serve(t, file)
	first.Close()
	if task, err := as("t1").Attach(t.Context(), request("k")); err == nil {
		t.Errorf("it answers with %+v", task)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it has written its state")
	}
}

// A request with a lost response is performed, and its repetition finds the result.
func TestLostAnswer(t *testing.T) {
	_, as := serve(t, filepath.Join(t.TempDir(), "state.json"))
	if _, err := as("admin").SetScript(t.Context(), []Rule{{Operation: Attach, Times: 1, Lose: true}}); err != nil {
		t.Fatal(err)
	}
	if task, err := as("t1").Attach(t.Context(), request("k")); err == nil {
		t.Fatalf("there is an answer: %+v", task)
	}
	task, err := as("t1").Attach(t.Context(), request("k"))
	if err != nil || task.ID != "task-1" {
		t.Errorf("asked again: %+v, %v; want the task that began", task, err)
	}
}

func TestErrorsTravel(t *testing.T) {
	_, as := serve(t, filepath.Join(t.TempDir(), "state.json"))
	for name, test := range map[string]struct {
		do   func() error
		want error
	}{
		"a wrong token":      {func() error { _, err := as("x").Inventory(t.Context()); return err }, ErrUnauthorized},
		"no token":           {func() error { _, err := as("").Inventory(t.Context()); return err }, ErrUnauthorized},
		"a cluster as admin": {func() error { _, err := as("t1").State(t.Context()); return err }, ErrUnauthorized},
		"admin as a cluster": {func() error { _, err := as("admin").Inventory(t.Context()); return err }, ErrUnauthorized},
		"an unknown device":  {func() error { _, err := as("t1").Detach(t.Context(), DetachRequest{Device: "x"}); return err }, ErrNotFound},
		"an unknown task":    {func() error { _, err := as("t1").Task(t.Context(), "task-9"); return err }, ErrNotFound},
		"a device to kill":   {func() error { _, err := as("admin").Kill(t.Context(), "x"); return err }, ErrNotFound},
		"a device to remove": {func() error { _, err := as("admin").Remove(t.Context(), "x"); return err }, ErrNotFound},
		"a device that is": {func() error {
			_, err := as("admin").Add(t.Context(), AddRequest{Model: "a", Devices: []string{"a-0"}})
			return err
		}, ErrInvalid},
		"a field that is not": {func() error {
			_, err := ask[Task](t.Context(), as("t1"), "POST", AttachPath, map[string]int{"kee": 1})
			return err
		}, ErrInvalid},
	} {
		if err := test.do(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// With null for a device or an object, a damaged state was accepted, and requests panicked.
func TestBadState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	for _, text := range []string{"{", `{"devices":{"a":null}}`, `{"tasks":{"1":null}}`, `{"keys":null}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := NewServer(config(), file); err == nil || !strings.Contains(err.Error(), "remove the file to begin anew") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBadConfig(t *testing.T) {
	for text, want := range map[string]string{
		"adminTokn: a": `unknown field "adminTokn"`,
		"clusters: [{name: c, token: a}]\nadminToken: a":                      "clusters[0].token: must differ from all others",
		"clusters: [{name: c, token: a}, {name: c, token: b}]\nadminToken: d": `clusters[1].name: "c": must be given, and only once`,
		"adminToken: a\nmodels: [{name: A_, count: 1}]":                       `models[0].name: "A_"`,
		"adminToken: a\nmodels: [{name: a, count: -1}]":                       "models[0].count: -1: must be between 0 and 10000",
		"adminToken: a\nscript: [{takes: 2h}]":                                "script[0]: invalid request: rule: times must not be negative, takes must be between 0 and 1h",
		"models: []":                                                          "adminToken: must be given",
	} {
		if _, err := ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// All problems are reported at once.
func TestAllProblemsOfAConfigurationAreSaidAtOnce(t *testing.T) {
	_, err := ParseConfig([]byte(`
adminToken: two words
clusters: [{name: c, token: a}, {name: c, token: ""}]
models:
- {name: A_, count: -1, attributes: {model: b, "not-one": c}}
- {name: good, count: 20000}
- {name: good}
script: [{takes: 2h}, {operation: Fly, cluster: d}]
`))
	for _, want := range []string{
		"adminToken: must be given, in ASCII", `clusters[1].name: "c"`, "clusters[1].token: must be given",
		`models[0].name: "A_"`, "models[0].count: -1", `"model": is the model's name`, `"not-one": `,
		"models[1].count: 20000", `models[2].name: "good": must be given only once`,
		"script[0]: ", "script[1]: ", `script[1].cluster: "d": is none of the clusters`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
}

// A parser of the first document alone would silently ignore the others.
func TestSecondDocumentIsNotIgnored(t *testing.T) {
	const good = "clusters: [{name: c, token: a}]\nadminToken: b\n"
	if _, err := ParseConfig([]byte(good + "---\nmodels: []\n")); err == nil || !strings.Contains(err.Error(), "more than one document") {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{good, "# what it is\n---\n" + good, "---\n" + good + "---\n"} {
		if c, err := ParseConfig([]byte(text)); err != nil || len(c.Clusters) != 1 {
			t.Errorf("%q: got %v, %v", text, c, err)
		}
	}
}

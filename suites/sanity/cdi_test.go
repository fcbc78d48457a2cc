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
	"fmt"
	"testing"
)

// spec returns a CDI file with one device setting an environment variable.
func specFile(name, env string) []byte {
	return fmt.Appendf(nil, `{"cdiVersion":"0.6.0","kind":"d.example.com/c","devices":[{"name":%q,"containerEdits":{"env":[%q]}}]}`, name, env)
}

func state(t *testing.T, files map[string][]byte) cdiState {
	t.Helper()
	s, err := resolve(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCDI(t *testing.T) {
	const id, path = "d.example.com/c=u-0", "/var/run/cdi/u.json"
	none := state(t, nil)
	there := state(t, map[string][]byte{path: specFile("u-0", "A=1")})
	other := state(t, map[string][]byte{path: specFile("u-0", "A=2")})
	empty := state(t, map[string][]byte{path: []byte(`{"cdiVersion":"0.6.0","kind":"d.example.com/c","devices":[{"name":"u-0","containerEdits":{}}]}`)})
	twice := state(t, map[string][]byte{path: specFile("u-0", "A=1"), "/var/run/cdi/v.json": specFile("u-0", "A=1")})
	over := state(t, map[string][]byte{path: specFile("u-0", "A=1"), "/etc/cdi/v.json": specFile("u-0", "A=2")})
	for _, row := range []struct {
		name     string
		problems []string
		want     string
	}{
		{"there", there.unresolved([]string{id}), ""},
		{"not there", none.unresolved([]string{id}), id + " does not resolve"},
		{"nothing in it", empty.unresolved([]string{id}), path + ": "},
		{"in two files", twice.unresolved([]string{id}), "conflicting device"},
		{"in two directories", over.changed(there, []string{id}), ""},
		{"the same", there.changed(there, []string{id}), ""},
		{"another content", other.changed(there, []string{id}), "is now"},
		{"gone", none.changed(there, []string{id}), "does not resolve"},
		{"gone, and never resolved", none.changed(empty, []string{id}), id + " is no longer in " + path},
		{"gone, and another file never had it", none.changed(state(t, map[string][]byte{path: specFile("u-01", "A=1")}), []string{id}), ""},
		{"there, and never resolved", empty.changed(empty, []string{id}), ""},
		{"new", there.changed(none, []string{id}), ""},
		{"nothing left", none.left(none, claim("u"), []string{id}), ""},
		{"device left", there.left(none, claim("none"), []string{id}), id + " is still there"},
		{"device for all claims", there.left(there, claim("none"), []string{id}), ""},
		{"file left", there.left(there, claim("u"), nil), path + " of claim u is still there"},
	} {
		said(t, row.name, row.problems, row.want)
	}
}

func TestAnonymous(t *testing.T) {
	c := claim("1-2")
	const want = `{"env":["CLAIM_req=a","X=CLAIM","y_CLAIM=CLAIM"]}`
	if got := anonymous(`{"env":["name_1_2_req=a","X=1-2","y_NAME_1_2=1-2"]}`, c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

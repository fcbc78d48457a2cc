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

package apiserver

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/requirements"
)

func TestMutantsBreakPromisesThatThereAre(t *testing.T) {
	mutants, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	known, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		for _, id := range m.Requires {
			if !slices.ContainsFunc(known, func(r spec.Requirement) bool { return r.ID == id }) {
				t.Errorf("mutant %s: there is no requirement %s", m.ID, id)
			}
		}
	}
}

func TestEachMutantHasCasesThatMayNotice(t *testing.T) {
	mutants, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	metas := run.Metas(suites.All())
	for _, m := range mutants {
		if trial := m.Trial(metas); len(trial.Must) == 0 {
			t.Errorf("no case claims what mutant %s breaks: %v", m.ID, m.Requires)
		}
	}
}

func parse(data []byte) ([]Mutant, error) {
	return load(fstest.MapFS{"mutants/file.yaml": {Data: data}})
}

func TestWhatIsWrongWithAMutantIsSaidAtOnce(t *testing.T) {
	_, err := parse([]byte(`
- {id: scheduler-x, what: No full stop, path: '(', methods: [HEAD], requires: [a/b]}
- {id: api-x, what: Two kinds., path: a, requires: [a/b], refuses: 'true', stores: '.a |'}
- {id: api-y, what: Nothing is said., path: a, requires: [a/b], accepts: {}}
- {id: api-z, what: No promise., path: a, requires: [], answers: .}
`))
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, text := range []string{
		"must begin with api-", "full stop", "missing closing )", `"HEAD" is no method`, "exactly one of", ".a |: ", "accepts must say what", "requires and path must not be empty",
	} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not said in: %v", text, err)
		}
	}
}

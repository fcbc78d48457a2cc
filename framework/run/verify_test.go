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

package run_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// holds fails the test if the report of a run, with any result, does not verify.
func holds(t *testing.T, o run.Options) {
	t.Helper()
	holdsFor(t, o, parts())
}

func holdsFor(t *testing.T, o run.Options, p run.Parts) {
	t.Helper()
	for _, reason := range reasons(t, o, p) {
		t.Error(reason)
	}
}

// refused reports whether the log contradicts the journal.
func refused(t *testing.T, o run.Options, p run.Parts) bool {
	t.Helper()
	return slices.ContainsFunc(reasons(t, o, p), func(reason string) bool { return strings.Contains(reason, "it has no line \"check sanity/a") })
}

func reasons(t *testing.T, o run.Options, p run.Parts) []string {
	t.Helper()
	texts, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, err := verify.Directory(os.DirFS(o.ReportDir), map[schema.Engine]verify.Rules{schema.EngineRun: {
		Required: schema.Required(p.Metas(), texts), Versions: profile.Versions(), Build: reports.SuiteVersion(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return reasons
}

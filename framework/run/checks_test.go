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
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// withChecks has three checks; do runs them.
func withChecks(do func(ctx context.Context, ids []string, ended func(spec.Outcome)) error) run.Parts {
	p := parts()
	for _, id := range []string{"sanity/a", "sanity/b", "sanity/c"} {
		p.Checks.Metas = append(p.Checks.Metas, spec.Meta{ID: id, Checks: "It does.", Requires: []spec.RequirementID{"kep-4381/x"}, Needs: spec.Needs{Contract: true}})
	}
	p.Checks.Run = func(ctx context.Context, _ *testbed.Testbed, ids []string, ended func(spec.Outcome)) error {
		return do(ctx, ids, ended)
	}
	return p
}

func checked(id string, status spec.Status) spec.Outcome {
	return spec.Outcome{ID: id, Status: status, Started: time.Now()}
}

func TestChecksFollowTheCases(t *testing.T) {
	noFilesLeft(t)
	for _, tc := range []struct {
		name     string
		do       func(ctx context.Context, ids []string, ended func(spec.Outcome)) error
		want     map[string]spec.Status
		problems string
	}{
		{"all ended", func(_ context.Context, ids []string, ended func(spec.Outcome)) error {
			for _, id := range ids {
				ended(checked(id, spec.Passed))
			}
			return nil
		}, map[string]spec.Status{"sanity/a": spec.Passed, "sanity/b": spec.Passed}, ""},
		{"driver cannot be reached", func(_ context.Context, _ []string, ended func(spec.Outcome)) error {
			ended(checked("sanity/a", spec.Failed))
			return errors.New("no socket")
		}, map[string]spec.Status{"sanity/a": spec.Failed, "sanity/b": spec.Blocked}, ""},
		{"objects stay", func(_ context.Context, ids []string, ended func(spec.Outcome)) error {
			for _, id := range ids {
				ended(checked(id, spec.Passed))
			}
			return errors.New("cannot delete the namespace")
		}, map[string]spec.Status{"sanity/a": spec.Passed, "sanity/b": spec.Passed}, "cannot delete the namespace"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kubeconfig, _ := apiServer(t)
			o, _ := options(t, kubeconfig, "fake/passes$", "sanity/[ab]")
			p := withChecks(tc.do)
			r, err := run.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			tc.want["fake/passes"] = spec.Passed
			if d := cmp.Diff(tc.want, statuses(r)); d != "" {
				t.Error(d)
			}
			if got := strings.Join(r.Problems, "\n"); got != tc.problems {
				t.Errorf("problems: %q", got)
			}
			holdsFor(t, o, p)
			forgeLog(t, o)
			if !refused(t, o, p) {
				t.Error("a log without the check verifies")
			}
		})
	}
}

// TestChecksAlone: there is no Ginkgo spec to run.
func TestChecksAlone(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "sanity/c")
	p := withChecks(func(_ context.Context, ids []string, ended func(spec.Outcome)) error {
		ended(checked(ids[0], spec.Passed))
		return nil
	})
	r, err := run.Run(t.Context(), p, o)
	if d := cmp.Diff(map[string]spec.Status{"sanity/c": spec.Passed}, statuses(r)); d != "" || err != nil {
		t.Errorf("%v: %s", err, d)
	}
	holdsFor(t, o, p)
}

// forgeLog removes check sanity/a from a log of the same length.
func forgeLog(t *testing.T, o run.Options) {
	t.Helper()
	path := filepath.Join(o.ReportDir, "e2e.log")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "check sanity/a", "check sanity/x")), 0o600); err != nil {
		t.Fatal(err)
	}
}

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

package certify

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// The profile load counts if it was requested; otherwise only a note mentions it.
func TestLoadCountsIfRequested(t *testing.T) {
	for _, tc := range []struct {
		load    *schema.Load
		want    schema.DriverVerdict
		profile schema.DriverVerdict
	}{
		{nil, schema.DriverCertified, ""},
		{&schema.Load{}, schema.DriverCertified, schema.DriverCertified},
		{&schema.Load{Failures: []string{"files-leaked: …"}}, schema.DriverNotCertified, schema.DriverNotCertified},
		{&schema.Load{Missing: []string{"it was interrupted"}}, schema.DriverIncomplete, schema.DriverIncomplete},
	} {
		f := passed()
		f.seen.Load = tc.load
		j := judge(f)
		if j.Verdict != tc.want || j.Profiles[spec.ProfileLoad] != tc.profile {
			t.Errorf("%+v: got %s and %q: %v %v", tc.load, j.Verdict, j.Profiles[spec.ProfileLoad], j.Failures, j.Missing)
		}
		note := slices.Contains((&running{loaded: tc.load}).facts(schema.Report{}, nil).seen.Notes, notUnderLoad)
		if note != (tc.load == nil) {
			t.Errorf("%+v: the note is there: %t", tc.load, note)
		}
	}
}

func TestLoadRuns(t *testing.T) {
	dir := t.TempDir()
	o := Options{Load: Load{Duration: time.Minute, Run: func(_ context.Context, o run.Options, d time.Duration) (schema.Load, error) {
		if o.ReportDir != filepath.Join(dir, "load") || d != time.Minute {
			t.Errorf("loaded for %s with results in %s", d, o.ReportDir)
		}
		return schema.Load{Pods: 3}, errors.New("no cluster")
	}}}
	o.Run.ReportDir, o.Run.Out = dir, io.Discard
	if l := o.load(t.Context()); l == nil || l.Pods != 3 || !slices.Equal(l.Missing, []string{"no cluster"}) {
		t.Errorf("got %+v", l)
	}
	if l := (Options{}).load(t.Context()); l != nil {
		t.Errorf("not requested, got %+v", l)
	}
}

// The results of a load are not those of a later certification without one.
func TestEarlierLoadIsRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"load", "own"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := withoutLoad(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "load")); err != nil {
		t.Errorf("a directory of others was removed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "load", loadSummary), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := withoutLoad(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "load")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
}

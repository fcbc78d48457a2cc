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

package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

func record(id string) journal.Record { return journal.Record{Progress: spec.Progress{ID: id}} }

func TestFollowWhileSeveralWrite(t *testing.T) {
	dir := t.TempDir()
	reader := journal.Follow(dir)
	if got, err := reader.Next(); err != nil || len(got) != 0 {
		t.Fatalf("no journal yet: %v, %v", got, err)
	}
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			w, err := journal.Append(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 50 {
				if err := w.Write(record(fmt.Sprintf("p%d/c%d", p, i))); err != nil {
					t.Error(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	seen := map[string]bool{}
	collect := func() {
		got, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			seen[r.ID] = true
		}
	}
	collect()
	wg.Wait()
	collect()
	if len(seen) != 200 {
		t.Errorf("saw %d records, want 200", len(seen))
	}
}

func TestIncompleteAndMalformedLines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, journal.File)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	reader := journal.Follow(dir)
	for _, step := range []struct {
		write   string
		records int
		fails   bool
	}{
		{`{"id":"a/a"}` + "\n" + `{"id":`, 1, false},
		{`"a/b"}`, 0, false},
		{"\n", 1, false},
		{"nonsense\n" + `{"id":"a/c","problem":"x"}` + "\n", 1, true},
	} {
		if _, err := f.WriteString(step.write); err != nil {
			t.Fatal(err)
		}
		got, err := reader.Next()
		if len(got) != step.records || (err != nil) != step.fails {
			t.Errorf("after %q: %v, %v", step.write, got, err)
		}
	}
}

func TestResetRemovesOnlyWhatIsOurs(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "reports")
	for _, d := range []string{"reports/cases/a.a", "reports/cases/a.b", "reports/cases/theirs", "reports/src/app", "outside"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := journal.Reset(dir); err != nil {
			t.Fatal(err)
		}
		w, err := journal.Append(dir)
		if err != nil {
			t.Fatal(err)
		}
		for id, o := range map[string]spec.Outcome{
			"a/a": {Evidence: "cases/theirs"}, "a/b": {Timeline: "src/app/timeline.json"}, "a/c": {Evidence: "../outside"},
			"../outside": {}, "theirs": {}, "": {Evidence: "."},
		} {
			r := record(id)
			r.Outcome = &o
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := journal.Follow(dir).Next(); err != nil || len(got) != 6 {
			t.Errorf("%v, %v", got, err)
		}
	}
	for d, want := range map[string]bool{"reports/cases/a.a": false, "reports/cases/a.b": false, "reports/cases/theirs": true, "reports/src/app": true, "outside": true} {
		if _, err := os.Stat(filepath.Join(root, d)); (err == nil) != want {
			t.Errorf("%s: there is not %t", d, want)
		}
	}
}

// A received report had cases as a link to somebody's home directory, and a journal naming directories there: a run
// with that report directory removed them.
func TestResetDoesNotFollowLinks(t *testing.T) {
	root := t.TempDir()
	dir, kept := filepath.Join(root, "reports"), filepath.Join(root, "home", "a.a", "file")
	for _, err := range []error{
		os.Mkdir(dir, 0o755), os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, nil, 0o600),
		os.WriteFile(filepath.Join(dir, journal.File), []byte(`{"id":"a/a","outcome":{"id":"a/a","status":"Passed"}}`+"\n"), 0o600),
		os.Symlink("../home", filepath.Join(dir, "cases")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Reset(dir); err == nil {
		t.Error("followed a link out of the report directory")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

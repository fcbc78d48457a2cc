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
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/framework/run/journal"
)

// FuzzJournal checks that a journal of others has the same records in pieces and as a whole, that records survive a round
// trip, and that Reset removes no file but the journal and evidence in cases.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"id":"a/b","outcome":{"id":"a/b","status":"Passed","evidence":"kept","timeline":"cases/../kept"}}`+"\n"), uint16(9))
	f.Add([]byte(`{"id":"../kept/a","outcome":{"id":"../kept","status":"Failed"}}`+"\n{}\nnull\n[]\n"), uint16(1))
	f.Add([]byte(`{"problem":"p","run":{"selection":{}},"finding":{"text":"t"},"monitoring":{}}`), uint16(0))
	top := f.TempDir()
	dir := filepath.Join(top, "report")
	kept := []string{"outside", "report/kept/file", "report/report.json", "report/casesfile"}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		for _, name := range kept {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write := func(data []byte) {
			if err := os.WriteFile(filepath.Join(dir, journal.File), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		pieces := journal.Follow(dir)
		write(data[:min(len(data), int(cut))])
		first, err := pieces.Next()
		write(data)
		second, secondErr := pieces.Next()
		whole, wholeErr := journal.Follow(dir).Next()
		if d := len(first) + len(second) - len(whole); d != 0 || (err != nil || secondErr != nil) != (wholeErr != nil) {
			t.Errorf("%d + %d records in pieces (%v, %v), %d as a whole (%v)", len(first), len(second), err, secondErr, len(whole), wholeErr)
		}
		if want := strings.Count(string(data), "\n"); wholeErr == nil && len(whole) != want {
			t.Errorf("%d records in %d lines", len(whole), want)
		}
		for _, r := range whole {
			fuzztest.RoundTrip(t, r, fuzztest.JSON, func(data []byte) (r journal.Record, err error) { return r, json.Unmarshal(data, &r) })
		}
		if err := journal.Mend(dir); err != nil {
			t.Error(err)
		}
		if err := journal.Reset(dir); err != nil {
			t.Error(err)
		}
		for _, name := range kept {
			if _, err := os.Stat(filepath.Join(top, name)); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, journal.File)); err == nil {
			t.Error("the journal is still there")
		}
	})
}

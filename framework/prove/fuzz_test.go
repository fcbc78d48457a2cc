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

package prove

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/reports/schema"
)

// FuzzLoad checks that the record of a proof survives a round trip, and that no trial is both left and done.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"` + schema.Version + `","trials":[{"id":"a"},{"id":"b"}],"results":[{"id":"a","shown":true}]}`))
	f.Add([]byte(`{"schemaVersion":"` + schema.Version + `","trials":[null],"results":[null,{"problem":"p"}]}{}`))
	dir := f.TempDir()
	decode := func(data []byte) (Record, error) {
		if err := os.WriteFile(filepath.Join(dir, RecordFile), data, 0o600); err != nil {
			return Record{}, err
		}
		return load(dir)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		for _, trial := range r.left() {
			if r.has(trial.ID) {
				t.Errorf("trial %q is left, and has a result", trial.ID)
			}
		}
		fuzztest.RoundTrip(t, r, fuzztest.JSON, decode)
	})
}

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

package run

import (
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/framework/fuzztest"
)

// FuzzReadRecord checks that the record of an upgrade survives a round trip.
func FuzzReadRecord(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"` + RecordVersion + `","cluster":"c","request":{"from":"1.36","to":"1.37"},"steps":[{"revision":1}],"cases":[{"id":"a/b"}]}`))
	f.Add([]byte(`{"schemaVersion":"` + RecordVersion + `","steps":[null],"cases":[null],"external":{},"monitoring":null}`))
	decode := func(data []byte) (Record, error) { return readRecord(fstest.MapFS{RecordFile: {Data: data}}) }
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := decode(data); err == nil {
			fuzztest.RoundTrip(t, r, fuzztest.JSON, decode)
		}
	})
}

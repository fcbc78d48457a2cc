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

package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// FuzzLogs checks that each entry of a log is a line of it.
func FuzzLogs(f *testing.F) {
	f.Add([]byte("2027-01-02T03:04:05.678901+0000 node kubelet[12]: E0102 03:04:05.678901      12 a.go:3] failed\n-- No entries --\n"))
	f.Add([]byte("2027-01-02T03:04:05.678901+00:00 node kubelet[12]: \r\n2027-01-02T03:04:05Z I0102 03:04:05.6 1 b.go:1] \n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		entries := Journal(log, "node")
		for line := range bytes.Lines(log) {
			if e := Stamped(string(line), spec.FromKubelet, "node"); e != nil {
				entries = append(entries, *e)
			}
		}
		if most := 2 * (bytes.Count(log, []byte("\n")) + 1); len(entries) > most {
			t.Errorf("%d entries of at most %d lines", len(entries), most)
		}
		for _, e := range entries {
			text, _, _ := strings.Cut(e.Text, " (")
			if !bytes.Contains(log, []byte(text)) {
				t.Errorf("entry %+v is not in the log", e)
			}
		}
	})
}

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

package spec_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FuzzNeeds checks that needs of newer builds, with unknown companions, survive a round trip.
func FuzzNeeds(f *testing.F) {
	f.Add([]byte(`{"nodes":2,"features":["DRAPrioritizedList"],"fabric":true,"later":true}`))
	f.Add([]byte(`{"later":"true","Nodes":1}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		decode := func(data []byte) (n spec.Needs, err error) { return n, json.Unmarshal(data, &n) }
		if n, err := decode(data); err == nil {
			fuzztest.RoundTrip(t, n, fuzztest.JSON, decode)
		}
	})
}

// FuzzPrintable checks that nothing in a text of others controls a terminal.
func FuzzPrintable(f *testing.F) {
	f.Add("\x1b[2J\x1b[HThe report holds.\x1b[8m")
	f.Add("\x1b]8;;http://a\aa\x1b]8;;\a\u202eb\r\n\xff")
	f.Add("\x1b\x1b[[2J2J\u009b\u009b")
	f.Fuzz(func(t *testing.T, text string) {
		safe := spec.Printable(text)
		if again := spec.Printable(safe); again != safe {
			t.Errorf("%q becomes %q, then %q", text, safe, again)
		}
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q becomes %q", text, safe)
		}
	})
}

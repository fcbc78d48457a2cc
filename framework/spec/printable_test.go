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
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain | <b> & \"é\" 漢字 🙂 a\u00a0b":            "plain | <b> & \"é\" 漢字 🙂 a\u00a0b",
		"two\n\tlines\r\nthree":                        "two\n\tlines\nthree",
		"\x1b[2J\x1b[H\x1b[1;31mred\x1b[0m":            "red",
		"\x1b]0;title\aafter":                          "after",
		"\x1b]8;;https://example.com\x1b\\link":        "link",
		"\u009b31mred":                                 "red",
		"bell\a, null\x00, DEL\x7f, ESC\x1b":           "bell\ufffd, null\ufffd, DEL\ufffd, ESC\ufffd",
		"painted over\rok":                             "painted over\ufffdok",
		"right to left \u202e, separator \u2028, \xff": "right to left \ufffd, separator \ufffd, \ufffd",
	} {
		if got := spec.Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

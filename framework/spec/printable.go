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

package spec

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapeSequence matches terminal escape sequences (ECMA-48): CSI, OSC and their 8-bit forms.
var escapeSequence = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\u009d)[^\a\x1b\u009c]*(?:\a|\x1b\\\\|\u009c)?")

// Printable makes text safe for terminals and browsers: escape sequences are removed, other control and format
// characters become U+FFFD. Newlines and tabs stay.
func Printable(text string) string {
	if strings.IndexFunc(text, invisible) < 0 && utf8.ValidString(text) {
		return text
	}
	text = escapeSequence.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// invisible tells whether a character controls how others are shown: control and format
// characters, line and paragraph separators.
func invisible(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

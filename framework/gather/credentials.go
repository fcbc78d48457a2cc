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

package gather

import (
	"bytes"
	"regexp"
)

// format is a known format of credentials. The regular expression is slow, so it is applied only to lines with one of the
// parts.
type format struct {
	parts   []string
	matches *regexp.Regexp
	kept    string // the replacement, with leftOut
}

// formats are replaced in this order.
var formats = []format{ //nolint:gochecknoglobals // a table
	{[]string{"eyJ"}, regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+`), leftOut},
	{[]string{"earer", "asic", "EARER", "ASIC"}, regexp.MustCompile(`(?i)\b(bearer|basic)(\s+|%20|\+)[A-Za-z0-9._~+/=-]{8,}`), "${1}${2}" + leftOut},
	{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#"'\\<>]+@`), "${1}" + leftOut + "@"},
	{[]string{"sha256~"}, regexp.MustCompile(`sha256~[A-Za-z0-9_-]{20,}`), leftOut},                     // OpenShift
	{[]string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`), leftOut},              // AWS
	{[]string{"AIza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`), leftOut},                          // Google
	{[]string{"gh", "glpat-"}, regexp.MustCompile(`\b(gh[pousr]_|github_pat_|glpat-)\w{20,}`), leftOut}, // GitHub, GitLab
	{[]string{"xox"}, regexp.MustCompile(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`), leftOut},                   // Slack
	{[]string{"hf_", "nvapi-", "sk-"}, regexp.MustCompile(`\b(hf_|nvapi-|sk-)[A-Za-z0-9_-]{20,}`), leftOut},
	{
		[]string{"pass", "Pass", "PASS", "ecret", "ECRET", "oken", "OKEN", "redential", "REDENTIAL", "key", "Key", "KEY"},
		regexp.MustCompile(`(?i)((?:pass(?:word|wd|phrase)|secret|token|credential|api[_-]?key|(?:access|secret|private|account|auth)[_-]?key)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?)[^\s"'\\,;&(){}]{6,}`),
		"${1}" + leftOut,
	},
}

// withoutCredentials removes credentials of known formats from a text.
func withoutCredentials(text []byte) []byte {
	text = withoutPrivateKeys(text)
	scrubbed := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		for _, f := range formats {
			for _, part := range f.parts {
				if bytes.Contains(line, []byte(part)) {
					line = f.matches.ReplaceAll(line, []byte(f.kept))
					break
				}
			}
		}
		scrubbed = append(scrubbed, line...)
	}
	return scrubbed
}

// keyMarks matches the first and the last line of a private key.
var keyMarks = regexp.MustCompile(`-----(?:BEGIN|END) [A-Z0-9 ]*PRIVATE KEY-----`)

// maxKey is the maximum size of a private key in PEM, including the timestamps of log lines.
const maxKey = 16 << 10

// withoutPrivateKeys removes private keys in PEM. If a truncated log has only the beginning or the end of a key, it removes
// all text that could belong to the key.
func withoutPrivateKeys(text []byte) []byte {
	marks := keyMarks.FindAllIndex(text, -1)
	if len(marks) == 0 {
		return text
	}
	var scrubbed []byte
	done := 0 // text before it is in scrubbed
	for i, mark := range marks {
		from, to := mark[0], mark[1]
		switch {
		case from < done:
			continue // the end of the previous key
		case !bytes.HasPrefix(text[from:], []byte("-----BEGIN")): // without its beginning
			from = max(done, from-maxKey)
		case i+1 == len(marks) || marks[i+1][0] > to+maxKey: // without its end
			to = min(len(text), to+maxKey)
		case bytes.HasPrefix(text[marks[i+1][0]:], []byte("-----BEGIN")): // without its end, before another one
			to = marks[i+1][0]
		default:
			to = marks[i+1][1]
		}
		scrubbed = append(append(scrubbed, text[done:from]...), leftOut...)
		done = to
	}
	return append(scrubbed, text[done:]...)
}

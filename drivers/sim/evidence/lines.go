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

package evidence

import "bytes"

type lines struct {
	with []byte
	to   *tail
	part []byte // of an unfinished line
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.part = append(l.part, p...)
	for {
		end := bytes.IndexByte(l.part, '\n')
		if end < 0 {
			return len(p), nil
		}
		l.pass(l.part[:end+1])
		l.part = l.part[end+1:]
	}
}

func (l *lines) pass(line []byte) {
	if bytes.Contains(line, l.with) {
		_, _ = l.to.Write(line) // never fails
	}
}

// Bytes returns the passed lines, including an incomplete last one.
func (l *lines) Bytes() []byte {
	l.pass(l.part)
	l.part = nil
	return l.to.Bytes()
}

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

// tail keeps the last bytes written to it, from the start of a line.
type tail struct {
	limit   int
	content []byte
	cut     bool
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.content = append(t.content, p...)
	// Truncating only at twice the limit keeps copying rare.
	if len(t.content) > 2*t.limit {
		t.drop()
	}
	return len(p), nil
}

func (t *tail) drop() {
	if excess := len(t.content) - t.limit; excess > 0 {
		t.content = append([]byte(nil), t.content[excess:]...)
		t.cut = true
	}
}

// Bytes returns at most limit bytes.
func (t *tail) Bytes() []byte {
	t.drop()
	if !t.cut {
		return t.content
	}
	_, whole, _ := bytes.Cut(t.content, []byte("\n"))
	return whole
}

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

package dratest_test

import (
	"bytes"
	"regexp"
	"testing"
)

// license is what each Go file starts with, after a build constraint.
const license = `/*
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

`

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

var constraint = regexp.MustCompile(`^//go:build .*\n\n`)

func TestFilesHaveLicense(t *testing.T) {
	for _, f := range goFiles(t) {
		content := f.content[len(constraint.Find(f.content)):]
		if !bytes.HasPrefix(content, []byte(license)) && !generated.Match(content) {
			t.Errorf("%s does not start with the license header: copy it from another file", f.name)
		}
	}
}

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
	"os"
	"strings"
	"testing"
)

// TestDraSimPageQuotesItsExample: the Go code of docs/dra-sim.md compiles, as part of an example.
func TestDraSimPageQuotesItsExample(t *testing.T) {
	page, err := os.ReadFile("docs/dra-sim.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("drivers/sim/client/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	if code == "" || !strings.HasSuffix(string(example), code) {
		t.Error("the Go code of docs/dra-sim.md is not the end of drivers/sim/client/example_test.go")
	}
}

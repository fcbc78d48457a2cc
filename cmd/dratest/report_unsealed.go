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

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/soak"
)

// unsealed explains why a directory has no sealed report: some commands never seal theirs. For other
// directories it returns err.
func unsealed(dir string, err error) error {
	for file, command := range map[string]string{soak.SummaryFile: "soak", perf.RecordFile: "perf", prove.RecordFile: "prove"} {
		if _, missing := os.Stat(filepath.Join(dir, file)); missing == nil {
			return fmt.Errorf("%s has a result of \"dratest %s\" (%s): such results are not sealed, so there is nothing to verify", dir, command, file)
		}
	}
	return err
}

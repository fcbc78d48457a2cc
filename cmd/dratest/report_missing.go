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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/framework/explore"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/reports"
)

// missing explains an error of reading file, the report in a directory: what is there instead, and what to do. It returns
// other errors with the directory.
func missing(dir, file string, err error) error {
	const todo = "name the report directory of a run (--report-dir)"
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		err = fmt.Errorf("%s does not exist: %s", dir, todo)
	case statErr == nil && !info.IsDir():
		err = fmt.Errorf("%s is a file: %s", dir, todo)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s %s", dir, instead(dir, file, todo))
	default:
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return withCode(codeUsage, err)
}

// instead describes a directory without the report.
func instead(dir, file, todo string) string {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	for name, command := range map[string]string{explore.SummaryFile: "explore", soak.SummaryFile: "soak", perf.RecordFile: "perf", prove.RecordFile: "prove"} {
		if has(name) {
			return fmt.Sprintf("has a result of \"dratest %s\" (%s): such results are not sealed, so there is no %s", command, name, file)
		}
	}
	switch {
	case has(reports.JournalFile):
		return fmt.Sprintf("has no %s: the run in it has not ended; if it was killed, continue it with \"dratest run --resume\"", file)
	case file == reports.ConformanceFile && has(reports.JSONFile):
		return fmt.Sprintf("has no %s: the report is not sealed", file)
	}
	return fmt.Sprintf("has no %s: %s", file, todo)
}

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

package harness

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// failureText is the failure of the case with later failures: after its time was up, and during
// cleanup.
func failureText(report types.SpecReport) string {
	text := messageOf(report.Failure)
	if more := report.Failure.AdditionalFailure; more != nil {
		text += "\nthen: " + messageOf(more.Failure)
	}
	for _, more := range report.AdditionalFailures {
		text += "\nthen: " + messageOf(more.Failure)
	}
	return text
}

func messageOf(f types.Failure) string {
	if f.ForwardedPanic != "" {
		return f.Message + ": " + f.ForwardedPanic
	}
	return f.Message
}

// frame matches the location of a function in a stack trace.
var frame = regexp.MustCompile(`(?m)^\s+(\S+\.go):(\d+)`)

// locate returns file:line of a failure. For a panic in the runtime or a library, it is the line of
// the case.
func locate(id string, l types.CodeLocation) string {
	folder := caseFolder(id)
	here := relative(l.FileName, l.LineNumber)
	if strings.HasPrefix(here, folder) {
		return here
	}
	for _, m := range frame.FindAllStringSubmatch(l.FullStackTrace, -1) {
		line, _ := strconv.Atoi(m[2]) // has only digits
		if there := relative(m[1], line); strings.HasPrefix(there, folder) {
			return there
		}
	}
	return here
}

// caseFolder is the directory of a case's area, or the one of all upgrade cases.
func caseFolder(id string) string {
	area, _, _ := strings.Cut(id, "/")
	if area == "upgrade" {
		return "upgrade/cases/"
	}
	return "suites/" + area + "/"
}

// relative is file:line relative to the module's root.
func relative(file string, line int) string {
	for _, root := range []string{"/suites/", "/framework/", "/upgrade/"} {
		if i := strings.LastIndex(file, root); i >= 0 {
			file = file[i+1:]
		}
	}
	if file == "" {
		return ""
	}
	return file + ":" + strconv.Itoa(line)
}

// folderOf is the evidence directory of a case, relative to the report directory.
func folderOf(id string) string {
	return path.Join("cases", strings.ReplaceAll(id, "/", "."))
}

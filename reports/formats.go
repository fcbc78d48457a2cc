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

package reports

import (
	"io/fs"

	"github.com/dra-conformance/dratest/reports/render/html"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/render/markdown"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Format is a report format.
type Format struct {
	// Name is the value for "dratest report -o".
	Name string
	// File is the name in a report directory.
	File string
	// Render renders a report with the evidence in its directory.
	Render func(r schema.Report, dir fs.FS) ([]byte, error)
}

// File names of reports.
const (
	JSONFile     = "report.json"
	JUnitFile    = "junit_01.xml"
	MarkdownFile = "report.md"
	HTMLFile     = "report.html"
)

// Formats returns all formats. Each run writes and seals them, and removes those of an earlier run;
// "dratest report verify" renders them again from report.json.
func Formats() []Format {
	return []Format{
		{"markdown", MarkdownFile, func(r schema.Report, _ fs.FS) ([]byte, error) { return markdown.Render(r), nil }},
		{"html", HTMLFile, func(r schema.Report, dir fs.FS) ([]byte, error) { return html.Render(r, Attachments(dir, r)) }},
		{"junit", JUnitFile, func(r schema.Report, _ fs.FS) ([]byte, error) { return junit.Render(r) }},
		{"json", JSONFile, func(r schema.Report, _ fs.FS) ([]byte, error) { return schema.Encode(r) }},
	}
}

// reportFiles returns the files of all formats.
func reportFiles() []string {
	var files []string
	for _, f := range Formats() {
		files = append(files, f.File)
	}
	return files
}

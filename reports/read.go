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
	"fmt"

	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Read reads report.json of an untrusted directory.
func Read(dir string) (schema.Report, error) {
	data, err := files.Read(dir, JSONFile)
	if err != nil {
		return schema.Report{}, fmt.Errorf("read the report of a run: %w", err)
	}
	return schema.Decode(data)
}

// ReadConformance reads the conformance report of an untrusted directory.
func ReadConformance(dir string) (schema.ConformanceReport, error) {
	data, err := files.Read(dir, ConformanceFile)
	if err != nil {
		return schema.ConformanceReport{}, fmt.Errorf("read the report of a run: %w", err)
	}
	return schema.DecodeConformance(data)
}

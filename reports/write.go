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
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/schema"
)

// WriteError writes a junit_01.xml with one error for a run that failed to start. Otherwise CI
// systems could take missing results for success.
func WriteError(dir string, started time.Time, why error) error {
	data, err := junit.Error(started, why.Error())
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, JUnitFile), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write what kept the run from its report: %w", err)
	}
	return nil
}

// Write writes a report in all formats into dir, next to the evidence. It creates dir if necessary, and
// writes files atomically.
func Write(dir string, r schema.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	opened, err := files.Open(dir)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	defer func() { _ = opened.Close() }()
	rendered := map[string][]byte{}
	for _, f := range Formats() {
		data, err := f.Render(r, opened)
		if err != nil {
			return err
		}
		rendered[f.File] = data
	}
	for name, data := range rendered {
		if err := renameio.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

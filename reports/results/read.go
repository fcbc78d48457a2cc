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

package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Result is a published report.
type Result struct {
	// Folder is its path in the repository.
	Folder string
	Report schema.ConformanceReport
}

// depth is the number of parts of a directory.
const depth = 5

// Read returns the reports of a repository in the order of the table, and all that Publish does not
// leave there: links, files that belong to no report, reports in the directory of another.
func Read(repo fs.FS) (all []Result, reasons []string, err error) {
	refuse := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	found := map[string][]string{} // files by directory
	err = fs.WalkDir(repo, Top, func(name string, d fs.DirEntry, err error) error {
		parts := strings.Split(name, "/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && len(parts) == depth:
			found[name] = nil
		case d.IsDir():
		case !d.Type().IsRegular():
			refuse("%s is a link or a special file", name)
		case len(parts) > depth:
			folder := path.Join(parts[:depth]...)
			found[folder] = append(found[folder], path.Join(parts[depth:]...))
		case name != path.Join(Top, TableFile):
			refuse("%s belongs to no report", name)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the results: %w", err)
	}
	for folder, names := range found {
		r, err := published(repo, folder, names)
		if err != nil {
			refuse("%s: %v", folder, err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, Compare)
	slices.Sort(reasons)
	return all, reasons, nil
}

// published reads a report with these files.
func published(repo fs.FS, folder string, names []string) (Result, error) {
	r := Result{Folder: folder}
	data, err := fs.ReadFile(repo, path.Join(folder, reports.ConformanceFile))
	if err != nil {
		return r, err
	}
	if r.Report, err = schema.DecodeConformance(data); err != nil {
		return r, err
	}
	should, err := Folder(data, r.Report)
	switch {
	case err != nil:
		return r, err
	case should != folder:
		return r, fmt.Errorf("it belongs to %s", should)
	}
	may := append(signatures(), reports.ConformanceFile)
	for _, f := range r.Report.AllFiles() {
		may = append(may, f.Path)
	}
	slices.Sort(may)
	for _, name := range names {
		if _, ok := slices.BinarySearch(may, name); !ok {
			return r, fmt.Errorf("%s is not in the report", name)
		}
	}
	return r, nil
}

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

package verify

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// files verifies the digests of the directory's files.
func (v *verification) files() {
	all := map[string]schema.File{}
	for _, f := range v.conformance.AllFiles() {
		if _, twice := all[f.Path]; twice {
			v.refuse("%s: %s is listed twice", reports.ConformanceFile, f.Path)
		}
		all[f.Path] = f
		v.file(f)
	}
	engine := cmp.Or(v.conformance.Engine, schema.EngineRun)
	for _, name := range reports.FilesOf(engine) {
		if _, ok := all[name]; !ok && (v.ran() || name != reports.LogFile && name != reports.JournalFile) {
			v.refuse("%s: it has no digest of %s, which each run of \"dratest %s\" writes", reports.ConformanceFile, name, engine)
		}
	}
	for folder := range v.folders() {
		err := fs.WalkDir(v.dir, folder, func(name string, d fs.DirEntry, err error) error {
			if _, ok := all[name]; err == nil && !d.IsDir() && !ok {
				v.refuse("%s is not in the report", name)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			v.refuse("%v", err)
		}
	}
}

// directories returns the directories with evidence of cases.
func (v *verification) folders() map[string]bool {
	folders := map[string]bool{}
	if folder := reports.FolderOf(v.conformance.Engine); folder != "" {
		folders[folder] = true
	}
	for _, c := range v.conformance.Cases {
		for _, f := range c.Evidence {
			if parts := strings.SplitN(path.Clean(f.Path), "/", 3); len(parts) == 3 && fs.ValidPath(f.Path) {
				folders[parts[0]+"/"+parts[1]] = true
			}
		}
	}
	return folders
}

func (v *verification) file(f schema.File) {
	if !fs.ValidPath(f.Path) {
		v.refuse("%s: %q is no path within the directory", reports.ConformanceFile, f.Path)
		return
	}
	got, err := reports.Digest(v.dir, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.refuse("%s is missing", f.Path)
	case err != nil:
		v.refuse("%s cannot be read: %v", f.Path, err)
	case got.Bytes < f.Bytes:
		v.refuse("%s is truncated or changed: it has %d bytes, the report says %d", f.Path, got.Bytes, f.Bytes)
	case got != f:
		v.refuse("%s was changed: its sha256 is %s, the report says %s", f.Path, got.SHA256, f.SHA256)
	}
}

// rendered compares the rendered files with a new rendering of report.json, the timelines and the
// evidence file names.
func (v *verification) rendered(r schema.Report) {
	for _, f := range reports.Formats() {
		found, err := fs.ReadFile(v.dir, f.File)
		if err != nil || f.File == reports.JSONFile {
			continue // files has reported the error; report.json is the source of the others
		}
		should, err := f.Render(r, v.dir)
		if err != nil {
			v.refuse("%s: %v", reports.JSONFile, err)
			continue
		}
		if number, a, b, same := firstDifference(found, should); !same {
			v.refuse("%s: line %d is %s, and %s makes it %s", f.File, number, shown(a), reports.JSONFile, shown(b))
		}
	}
}

// firstDifference returns the first differing line, starting shortly before the difference.
func firstDifference(found, should []byte) (number int, a, b string, same bool) {
	if bytes.Equal(found, should) {
		return 0, "", "", true
	}
	linesA, linesB := strings.Split(string(found), "\n"), strings.Split(string(should), "\n")
	for number < len(linesA) && number < len(linesB) && linesA[number] == linesB[number] {
		number++
	}
	if number < len(linesA) {
		a = linesA[number]
	}
	if number < len(linesB) {
		b = linesB[number]
	}
	const before, after = 60, 120
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string {
		start := max(0, min(i, len(s))-before)
		return "\"" + s[start:min(len(s), i+after)] + "\""
	}
	return number + 1, cut(a), cut(b), false
}

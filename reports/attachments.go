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
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/render/html"
	"github.com/dra-conformance/dratest/reports/schema"
)

// maxTimeline is the read limit of a timeline in bytes. Writers have a lower limit.
const maxTimeline = 16 << 20

// Attachments returns the timeline and evidence files of each case in dir. Unreadable ones are
// missing; report.html shows this.
func Attachments(dir fs.FS, r schema.Report) map[string]html.Attachment {
	attached := map[string]html.Attachment{}
	for _, c := range r.Cases {
		a := html.Attachment{Timeline: timelineOf(dir, c.Timeline)}
		folder := c.Evidence
		if folder == "" && a.Timeline != nil {
			folder = path.Dir(c.Timeline)
		}
		if fs.ValidPath(folder) {
			a.Evidence = filesOf(dir, folder)
		}
		if a.Timeline != nil || len(a.Evidence) > 0 {
			attached[c.ID] = a
		}
	}
	return attached
}

func timelineOf(dir fs.FS, name string) *spec.Timeline {
	if info, err := fs.Stat(dir, name); err != nil || info.Size() > maxTimeline {
		return nil
	}
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil
	}
	t, err := schema.DecodeTimeline(data)
	if err != nil {
		return nil
	}
	return &t
}

// filesOf returns the files of a directory, top-level ones first, sorted by name.
func filesOf(dir fs.FS, folder string) (files []html.File) {
	// A directory with an error is still named, without its files.
	_ = fs.WalkDir(dir, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			files = append(files, html.File{Path: name, Bytes: info.Size()})
		}
		return nil
	})
	slices.SortStableFunc(files, func(a, b html.File) int { return depth(a.Path) - depth(b.Path) })
	return files
}

func depth(name string) int { return strings.Count(name, "/") }

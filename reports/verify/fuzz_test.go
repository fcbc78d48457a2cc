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

package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// FuzzDirectory checks that verification rejects the report of a real run after a change of one file. With redigest, it
// recomputes the digest as a forger would, and only the result must stay the same.
func FuzzDirectory(f *testing.F) {
	names := []string{reports.JSONFile, reports.JournalFile, reports.LogFile, reports.ConformanceFile}
	original := fstest.MapFS{}
	if err := filepath.WalkDir(run, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(run, path)
		data, err := os.ReadFile(path)
		original[name] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		f.Fatal(err)
	}
	c, err := schema.DecodeConformance(original[reports.ConformanceFile].Data)
	if err != nil {
		f.Fatal(err)
	}
	rules := map[schema.Engine]verify.Rules{schema.EngineRun: rulesOf(c)}
	for i, name := range names {
		f.Add(i, false, original[name].Data)
		f.Add(i, true, original[name].Data)
	}
	f.Add(1, true, []byte(`{"id":"a/b","outcome":{"id":"a/b","status":"Passed"}}`+"\n"))
	f.Fuzz(func(t *testing.T, which int, redigest bool, data []byte) {
		name := names[uint(which)%uint(len(names))]
		dir := fstest.MapFS{}
		for n, file := range original {
			dir[n] = file
		}
		dir[name] = &fstest.MapFile{Data: data}
		if redigest && name != reports.ConformanceFile {
			sealed := c
			sealed.Files = nil
			for _, file := range c.Files {
				if file.Path == name {
					if file, err = reports.Digest(dir, name); err != nil {
						t.Fatal(err)
					}
				}
				sealed.Files = append(sealed.Files, file)
			}
			content, err := schema.EncodeConformance(sealed)
			if err != nil {
				t.Fatal(err)
			}
			dir[reports.ConformanceFile] = &fstest.MapFile{Data: content}
		}
		found, reasons, err := verify.Directory(dir, rules)
		if err != nil || len(reasons) > 0 {
			return
		}
		if found.Result != c.Result {
			t.Errorf("result %s holds, it was %s", found.Result, c.Result)
		}
		if !redigest && name != reports.ConformanceFile && !bytes.Equal(data, original[name].Data) {
			t.Errorf("another %s holds", name)
		}
	})
}

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

package sim

import (
	"os"
	"path/filepath"
	"testing"
)

// The library's metadata files stayed on the node for ever when a driver was killed.
func TestMetadataIsRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.example.com_metadata_uid_one.json", "a.example.com_metadata_uid_two.json", "b.example.com_metadata_uid_one.json", "a.example.com.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := cdiStore{driver: "a.example.com", dir: dir}
	if paths, err := s.metadata(); err != nil || len(paths) != 2 {
		t.Errorf("before: got %v, %v", paths, err)
	}
	if uids, err := s.held(); err != nil || len(uids) != 1 || uids[0] != "uid" {
		t.Errorf("held are %v, %v; want the claim of the metadata, once", uids, err)
	}
	if err := s.removeMetadata(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "a.example.com.json" {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := (cdiStore{driver: "a.example.com", dir: filepath.Join(dir, "none")}).removeMetadata(); err != nil {
		t.Errorf("without the directory: %v", err)
	}
}

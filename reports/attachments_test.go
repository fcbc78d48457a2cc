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

package reports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestAttachments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	put := func(name, content string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	timeline := func(version string) string {
		text, err := json.Marshal(spec.Timeline{SchemaVersion: version, ID: "x", Started: time.Unix(1, 0), Ended: time.Unix(2, 0)})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	put("cases/failed/timeline.json", timeline(spec.TimelineVersion))
	put("cases/failed/nodes/a/kubelet.log", "log")
	put("cases/passed/timeline.json", timeline(spec.TimelineVersion))
	put("cases/newer/timeline.json", timeline("dra-conformance.github.io/timeline/v9"))
	put("cases/broken/timeline.json", "{")
	put("../outside/timeline.json", timeline(spec.TimelineVersion))
	got := reports.Attachments(os.DirFS(dir), schema.Report{Cases: []schema.Case{
		{ID: "failed", Evidence: "cases/failed", Timeline: "cases/failed/timeline.json"},
		{ID: "passed", Timeline: "cases/passed/timeline.json"},
		{ID: "newer", Timeline: "cases/newer/timeline.json"},
		{ID: "broken", Timeline: "cases/broken/timeline.json"},
		{ID: "removed", Timeline: "cases/removed/timeline.json", Evidence: "cases/removed"},
		{ID: "outside", Timeline: "../outside/timeline.json", Evidence: "../outside"},
		{ID: "none"},
	}})
	if len(got) != 2 {
		t.Fatalf("attached to %d cases, want 2: %v", len(got), got)
	}
	for id, files := range map[string]string{"failed": "timeline.json nodes/a/kubelet.log", "passed": "timeline.json"} {
		var names []string
		for _, f := range got[id].Evidence {
			names = append(names, f.Within())
		}
		if got[id].Timeline == nil || strings.Join(names, " ") != files {
			t.Errorf("%s: timeline %v, files %q, want %s", id, got[id].Timeline, names, files)
		}
	}
}

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
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/record"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// timelineFile is in a case's directory.
const timelineFile = "timeline.json"

// recordTimeout bounds the reading of each source after the case.
const recordTimeout = 10 * time.Second

// recorder records the timeline of one case.
type recorder struct {
	*record.Recorder

	t *T
}

// startRecorder starts to record once the case has its namespace.
func startRecorder(t *T) *recorder {
	if t.env.Timelines != spec.TimelinesAll && t.env.Timelines != spec.TimelinesFailed {
		return nil
	}
	driver := ""
	if len(t.meta.Needs.Profile.Pools) > 0 || t.meta.Needs.NoKubelet {
		driver = DriverName(t.meta.ID, t.Namespace)
	}
	// The cleanup is part of the timeline.
	r := &recorder{record.Start(context.WithoutCancel(t.ctx), t.Client, t.Namespace, driver), t}
	t.collect, t.done = r.collect, r.end
	t.OnCleanup(func(ctx context.Context, _ bool) error {
		r.readKubelets(ctx)
		return nil
	})
	return r
}

// collect reads the sources registered with AddTimeline.
func (r *recorder) collect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	for _, read := range all(&r.t.Hooks, &r.t.Hooks.timeline) {
		entries, missing := read(ctx)
		r.Add(entries, missing...)
	}
}

// readKubelets reads the lines of kubelet logs about the case.
func (r *recorder) readKubelets(ctx context.Context) {
	if !r.wanted() || r.t.meta.Needs.NoKubelet {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, node := range r.t.nodesOfPods(ctx) {
		all.Go(func() {
			log, err := agentapi.ReadKubeletLines(ctx, r.t.env.Agents, node, r.t.started, r.t.Namespace)
			r.Add(timeline.Journal(log, node))
			if err != nil && ctx.Err() == nil {
				r.Add(nil, fmt.Sprintf("kubelet log of %s: %v", node, err))
			}
		})
	}
	all.Wait()
}

// wanted is whether the case's timeline is to be kept.
func (r *recorder) wanted() bool {
	return r.t.env.Timelines == spec.TimelinesAll || r.t.knownIssue() != "" || ginkgo.CurrentSpecReport().Failed()
}

// end stops recording and writes the timeline into the case's directory. A failure to write it is only
// noted.
func (r *recorder) end() {
	r.Stop()
	if !r.wanted() {
		return
	}
	if err := r.write(time.Now()); err != nil {
		r.t.Note("no timeline: %v", err)
	}
}

func (r *recorder) write(ended time.Time) error {
	entries, missing := r.Recorded()
	for _, s := range r.t.stepsSoFar() {
		e := spec.TimelineEntry{Time: s.at, Source: spec.FromStep, Text: s.text}
		if strings.HasPrefix(s.text, "  ") { // see note
			e.Object = spec.StepSeen
		}
		entries = append(entries, e)
	}
	if report := ginkgo.CurrentSpecReport(); report.Failed() && !report.Failure.TimelineLocation.Time.IsZero() {
		entries = append(entries, spec.TimelineEntry{
			Time: report.Failure.TimelineLocation.Time, Source: spec.FromStep, Severity: spec.SeverityError,
			Text: "failed: " + firstLine(messageOf(report.Failure)),
		})
	}
	content, err := json.Marshal(timeline.Merge(r.t.meta.ID, r.t.started, ended, entries, missing))
	if err != nil {
		return err
	}
	folder := folderOf(r.t.meta.ID)
	dir := filepath.Join(r.t.env.ReportDir, folder)
	if r.t.folder == "" {
		// Without evidence, existing files are of an earlier run.
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, timelineFile), append(content, '\n'), 0o644); err != nil {
		return err
	}
	r.t.timeline = path.Join(folder, timelineFile)
	return nil
}

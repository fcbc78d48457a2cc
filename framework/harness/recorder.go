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
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// timelineFile is in a case's folder.
const timelineFile = "timeline.json"

// recordTimeout bounds what is read when a case has ended; a lost watch is made again
// after watchAgain.
const (
	recordTimeout = 10 * time.Second
	watchAgain    = time.Second
)

// recorder collects the timeline of one case while it runs: four watches, which get what
// the case's own objects do, and the scheduler's log as it is written. The case never
// waits for any of that. Driver calls and the kubelets' lines are read when it has ended.
type recorder struct {
	t      *T
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu      sync.Mutex
	entries []spec.TimelineEntry
	missing []string
	facts   map[types.UID][]timeline.Fact
}

// record starts to record, once the case has its namespace.
func record(t *T) *recorder {
	if t.env.Timelines != spec.TimelinesAll && t.env.Timelines != spec.TimelinesFailed {
		return nil
	}
	// What comes after the case is part of its timeline.
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.ctx))
	r := &recorder{t: t, cancel: cancel, facts: map[types.UID][]timeline.Fact{}}
	t.hooks.collect, t.hooks.done = r.collect, r.end
	t.OnCleanup(func(ctx context.Context, _ bool) error {
		r.readKubelets(ctx)
		return nil
	})
	r.all.Go(func() { follows(ctx, r, "pods", t.Client.CoreV1().Pods(t.Namespace), "", r.pod) })
	r.all.Go(func() {
		follows(ctx, r, "claims", t.Client.ResourceV1().ResourceClaims(t.Namespace), "", r.claim)
	})
	r.all.Go(func() { follows(ctx, r, "events", t.Client.CoreV1().Events(t.Namespace), "", r.event) })
	if len(t.meta.Needs.Profile.Pools) > 0 || t.meta.Needs.NoKubelet {
		driver := DriverName(t.meta.ID, t.Namespace)
		r.all.Go(func() {
			follows(ctx, r, "slices", t.Client.ResourceV1().ResourceSlices(), await.OfDriver(driver), r.slice)
		})
	}
	r.all.Go(func() { r.scheduler(ctx) })
	return r
}

// watcher is the part of a typed client that follows needs.
type watcher interface {
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// follows shows each change of objects to see, until ctx ends. Without a resource version
// a watch begins with what is there, so that one that was lost misses only what came and
// went meanwhile.
func follows[O runtime.Object](ctx context.Context, r *recorder, what string, from watcher, selector string, see func(O, bool)) {
	for ctx.Err() == nil {
		w, err := from.Watch(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			r.lost(ctx, what, err)
			pause(ctx, watchAgain)
			continue
		}
		drain(ctx, w, see)
	}
}

func drain[O runtime.Object](ctx context.Context, w watch.Interface, see func(O, bool)) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-w.ResultChan():
			if !open {
				pause(ctx, watchAgain)
				return
			}
			if o, ok := e.Object.(O); ok { // else a status or a bookmark
				see(o, e.Type == watch.Deleted)
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// lost notes once what could not be seen for a time.
func (r *recorder) lost(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.missing {
		if strings.HasPrefix(m, what+": ") {
			return
		}
	}
	r.missing = append(r.missing, fmt.Sprintf("%s: %v", what, err))
}

func (r *recorder) pod(p *corev1.Pod, gone bool) {
	facts, state := timeline.Pod(p)
	r.object(spec.FromPod, p, p.Name, facts, state, gone)
}

func (r *recorder) claim(c *resourceapi.ResourceClaim, gone bool) {
	facts, state := timeline.Claim(c)
	r.object(spec.FromClaim, c, c.Name, facts, state, gone)
}

func (r *recorder) slice(s *resourceapi.ResourceSlice, gone bool) {
	facts, state := timeline.Slice(s)
	r.object(spec.FromSlice, s, s.Name, facts, state, gone)
}

// object notes what changed about an object.
func (r *recorder) object(source spec.TimelineSource, o Object, name string, facts []timeline.Fact, state string, gone bool) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	e := timeline.Object(source, name, r.facts[o.GetUID()], facts, state)
	if gone {
		e = &spec.TimelineEntry{Source: source, Object: name, Text: "gone", State: spec.StateDeleted}
	}
	r.facts[o.GetUID()] = facts
	if e != nil {
		e.Time = now
		r.entries = append(r.entries, *e)
	}
}

// event notes an event when it is seen, as most components give its time in whole
// seconds.
func (r *recorder) event(e *corev1.Event, gone bool) {
	if gone {
		return
	}
	at := time.Now()
	if !e.EventTime.IsZero() && e.Series == nil {
		at = e.EventTime.Time
	}
	entry := spec.TimelineEntry{
		Time: at, Source: spec.FromEvent, Text: describe.Event(e),
		Object: strings.ToLower(e.InvolvedObject.Kind) + "/" + e.InvolvedObject.Name,
	}
	if e.Type == corev1.EventTypeWarning {
		entry.Severity = spec.SeverityWarning
	}
	r.add(entry)
}

func (r *recorder) add(entries ...spec.TimelineEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, entries...)
}

// scheduler follows the logs of the schedulers for lines about the case.
func (r *recorder) scheduler(ctx context.Context) {
	client := r.t.Client
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-scheduler"})
	if err == nil && len(pods.Items) == 0 {
		err = errors.New("runs in no pod that can be seen")
	}
	if err != nil {
		r.lost(ctx, "kube-scheduler", err)
		return
	}
	for _, p := range pods.Items {
		r.all.Go(func() {
			// Some lines from before: those of the case's first pod may be among them.
			last := corev1.PodLogOptions{Follow: true, Timestamps: true, TailLines: ptr.To[int64](20)}
			stream, err := client.CoreV1().Pods(p.Namespace).GetLogs(p.Name, &last).Stream(ctx)
			if err != nil {
				r.lost(ctx, p.Name, err)
				return
			}
			defer func() { _ = stream.Close() }()
			if err := r.lines(stream, p.Name); err != nil {
				r.lost(ctx, p.Name, err)
			}
		})
	}
}

// lines notes the lines of a scheduler's log that name the case's namespace.
func (r *recorder) lines(log io.Reader, scheduler string) error {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), r.t.Namespace) {
			continue
		}
		if e := timeline.Stamped(lines.Text(), spec.FromScheduler, scheduler); e != nil {
			r.add(*e)
		}
	}
	return lines.Err()
}

// collect reads the sources that the case has registered.
func (r *recorder) collect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	for _, read := range all(&r.t.hooks, &r.t.hooks.timeline) {
		entries, missing := read(ctx)
		r.add(entries...)
		r.mu.Lock()
		r.missing = append(r.missing, missing...)
		r.mu.Unlock()
	}
}

// readKubelets reads what the kubelets wrote about the case.
func (r *recorder) readKubelets(ctx context.Context) {
	if !r.wanted() || r.t.meta.Needs.NoKubelet {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, node := range r.t.Nodes {
		all.Go(func() {
			log, err := agentapi.ReadKubeletLines(ctx, r.t.env.Agents, node, r.t.started, r.t.Namespace)
			if err != nil {
				r.lost(ctx, "kubelet log of "+node, err)
			}
			r.add(timeline.Journal(log, node)...)
		})
	}
	all.Wait()
}

// wanted tells whether the case's timeline is to be kept.
func (r *recorder) wanted() bool {
	r.t.mu.Lock()
	known := r.t.known != ""
	r.t.mu.Unlock()
	return r.t.env.Timelines == spec.TimelinesAll || known || ginkgo.CurrentSpecReport().Failed()
}

// end stops recording and writes the timeline into the case's folder. That it cannot be
// written is no fault of the case: the steps say so.
func (r *recorder) end() {
	r.cancel()
	r.all.Wait()
	if !r.wanted() {
		return
	}
	if err := r.write(time.Now()); err != nil {
		r.t.Note("no timeline: %v", err)
	}
}

func (r *recorder) write(ended time.Time) error {
	entries := r.entries
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
	content, err := json.Marshal(timeline.Merge(r.t.meta.ID, r.t.started, ended, entries, r.missing))
	if err != nil {
		return err
	}
	folder := folderOf(r.t.meta.ID)
	dir := filepath.Join(r.t.env.ReportDir, folder)
	if r.t.folder == "" {
		// Nothing was gathered: what is there is an earlier run's.
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

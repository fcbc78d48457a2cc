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

package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// watchAgain is the pause before a lost watch is started again.
const watchAgain = time.Second

// Recorder watches the objects of a namespace, and follows the logs of the schedulers.
type Recorder struct {
	client    kubernetes.Interface
	namespace string
	cancel    context.CancelFunc
	all       sync.WaitGroup

	mu      sync.Mutex
	entries []spec.TimelineEntry
	missing []string
	facts   map[types.UID][]timeline.Fact
}

// Start starts to record pods, claims, events, scheduler logs and, if driver is not empty, its slices.
func Start(ctx context.Context, client kubernetes.Interface, namespace, driver string) *Recorder {
	ctx, cancel := context.WithCancel(ctx)
	r := &Recorder{client: client, namespace: namespace, cancel: cancel, facts: map[types.UID][]timeline.Fact{}}
	r.all.Go(func() { follows(ctx, r, "pods", client.CoreV1().Pods(namespace), "", r.pod) })
	r.all.Go(func() {
		follows(ctx, r, "claims", client.ResourceV1().ResourceClaims(namespace), "", r.claim)
	})
	r.all.Go(func() { follows(ctx, r, "events", client.CoreV1().Events(namespace), "", r.event) })
	if driver != "" {
		r.all.Go(func() {
			follows(ctx, r, "slices", client.ResourceV1().ResourceSlices(), await.OfDriver(driver), r.slice)
		})
	}
	r.all.Go(func() { r.scheduler(ctx) })
	return r
}

// Stop ends recording.
func (r *Recorder) Stop() {
	r.cancel()
	r.all.Wait()
}

// Add adds entries of other sources, and notes on missing ones.
func (r *Recorder) Add(entries []spec.TimelineEntry, missing ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.missing = append(r.entries, entries...), append(r.missing, missing...)
}

// Recorded returns the entries so far, and notes on missing ones.
func (r *Recorder) Recorded() (entries []spec.TimelineEntry, missing []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries), slices.Clone(r.missing)
}

// watcher is the part of a typed client needed by follows.
type watcher interface {
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// follows passes each change of objects to see, until ctx ends. Without a resource version a watch
// begins with all existing objects, so a lost watch misses only short-lived objects.
func follows[O runtime.Object](ctx context.Context, r *Recorder, what string, from watcher, selector string, see func(O, bool)) {
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

// lost notes a gap in the observation of a source, once.
func (r *Recorder) lost(ctx context.Context, what string, err error) {
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

func (r *Recorder) pod(p *corev1.Pod, gone bool) {
	facts, state := timeline.Pod(p)
	r.object(spec.FromPod, p, p.Name, facts, state, gone)
}

func (r *Recorder) claim(c *resourceapi.ResourceClaim, gone bool) {
	facts, state := timeline.Claim(c)
	r.object(spec.FromClaim, c, c.Name, facts, state, gone)
}

func (r *Recorder) slice(s *resourceapi.ResourceSlice, gone bool) {
	facts, state := timeline.Slice(s)
	r.object(spec.FromSlice, s, s.Name, facts, state, gone)
}

// object notes the changes of an object.
func (r *Recorder) object(source spec.TimelineSource, o metav1.Object, name string, facts []timeline.Fact, state string, gone bool) {
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

// event notes an event with the time of its arrival, because most components round theirs to seconds.
func (r *Recorder) event(e *corev1.Event, gone bool) {
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
	r.Add([]spec.TimelineEntry{entry})
}

// scheduler follows the logs of the schedulers for lines about the case.
func (r *Recorder) scheduler(ctx context.Context) {
	client := r.client
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-scheduler"})
	if err == nil && len(pods.Items) == 0 {
		err = errors.New("has no visible pod")
	}
	if err != nil {
		r.lost(ctx, "kube-scheduler", err)
		return
	}
	for _, p := range pods.Items {
		r.all.Go(func() {
			// Lines about the case's first pod may be older than the stream.
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

// lines notes the lines of a scheduler's log about the case's namespace.
func (r *Recorder) lines(log io.Reader, scheduler string) error {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), r.namespace) {
			continue
		}
		if e := timeline.Stamped(lines.Text(), spec.FromScheduler, scheduler); e != nil {
			r.Add([]spec.TimelineEntry{*e})
		}
	}
	return lines.Err()
}

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

package soak

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters/progress/live"
)

// lineEvery is the time between two progress lines.
const lineEvery = 10 * time.Second

// sayStuck is the time after which a call without success is printed.
const sayStuck = 20 * time.Second

// say says how far it is, until ctx ends.
func (s *soaking) say(ctx context.Context) {
	task := s.bed.Progress.Task(s.view())
	defer task.End()
	every, say := lineEvery, func(context.Context) {
		s.bed.Progress.Printf("  .. %4.0fs: %s", time.Since(s.started).Seconds(), s.state())
	}
	if task.Live() {
		every, say = time.Second, func(context.Context) { task.Set(s.view()) }
	}
	wait.UntilWithContext(ctx, say, every)
}

func (s *soaking) view() live.View {
	if o := s.bed.options; s.installed != nil {
		took := min(time.Since(s.installed.began), o.Duration)
		return live.View{
			Done: int(took.Seconds()), Total: int(o.Duration.Seconds()), Text: fmt.Sprintf("%s of %s", took.Round(time.Second), o.Duration),
			Lines: []string{fmt.Sprintf("%4.0fs  %s", time.Since(s.started).Seconds(), s.state())},
		}
	}
	ended := 0
	for _, l := range s.tracker.all() {
		if l.over() {
			ended++
		}
	}
	return live.View{
		Done: min(ended, s.bed.options.Pods), Total: s.bed.options.Pods, Text: fmt.Sprintf("%d of %d pods ended", ended, s.bed.options.Pods),
		Lines: []string{fmt.Sprintf("%4.0fs  %s", time.Since(s.started).Seconds(), s.state())},
	}
}

func (s *soaking) state() string {
	made, bound, running, ended := 0, 0, 0, 0
	for _, l := range s.tracker.all() {
		made++
		switch {
		case l.over():
			ended++
		case !l.started.IsZero():
			running++
		case !l.scheduled.IsZero():
			bound++
		}
	}
	_, done := s.faults.done()
	of := ""
	if s.faults.until.IsZero() {
		of = fmt.Sprintf(" of %d", len(s.bed.options.Faults))
	}
	text := fmt.Sprintf("%d pods made, %d ended, %d running, %d starting, %d pending; %d%s faults; %d violations",
		made, ended, running, bound, made-ended-running-bound, done, of, s.findings.violations())
	if s.installed != nil {
		if calls := s.stuck(sayStuck); len(calls) > 0 {
			text += fmt.Sprintf("; %d calls are stuck: %s", len(calls), calls[0])
		}
	}
	return text
}

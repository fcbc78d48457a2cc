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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// long is the minimum duration of a round of calls.
const long = 100 * time.Millisecond

// row has the measurements of a problem.
type row struct {
	problem
	// Durations of a call in each round; control is a second measurement of ours.
	ours, control, karpenters []time.Duration
	own, karpenter            outcome
	// slow is set if karpenter timed out; karpenters is its time until then. skipped is set if it
	// was not called, because a smaller problem timed out.
	slow, skipped bool
}

// measure prints a table, and the timeouts.
func (o options) measure(ctx context.Context, out io.Writer) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("read -only: %w", err)
	}
	fmt.Fprintf(out, "Times are CPU time of the process for a call, garbage collection with it: medians of %d rounds, in which ours,\n"+
		"karpenter's and ours again (the control) are measured in turns. Ratio: karpenter's to ours; brackets: smallest and\n"+
		"largest of the rounds. Karpenter may take %s (%s for the search of one pod on one node, which is its own limit).\n%s\n\n",
		o.rounds, o.limit, "5s", load())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROBLEM\tOURS\tKARPENTER'S\tRATIO\tCONTROL\tOURS PLACE\tKARPENTER PLACES")
	var cut []string
	tooSlow := make(map[string]bool)
	for _, p := range problems() {
		if !only.MatchString(p.name) {
			continue
		}
		r, err := o.row(ctx, p, tooSlow[p.series])
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		tooSlow[p.series] = tooSlow[p.series] || r.slow
		switch {
		case r.slow:
			cut = append(cut, p.name+": no answer from karpenter in time; its time and the ratio are lower bounds")
		case r.skipped:
			cut = append(cut, p.name+": karpenter was not asked, because a smaller one took it too long")
		}
		fmt.Fprintln(w, r.line())
		fmt.Fprintln(os.Stderr, p.name, "is measured")
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	if len(cut) > 0 {
		fmt.Fprintf(out, "\nWhat the limit has cut:\n  %s\n", strings.Join(cut, "\n  "))
	}
	fmt.Fprintf(out, "\n%s\n", load())
	return nil
}

// row measures a problem. A problem timing out in karpenter is not retried.
func (o options) row(ctx context.Context, p problem, skip bool) (row, error) {
	r := row{problem: p, skipped: skip}
	for range o.rounds {
		for _, turn := range []struct {
			do    side
			times *[]time.Duration
			last  *outcome
		}{{p.own, &r.ours, &r.own}, {p.karpenter, &r.karpenters, &r.karpenter}, {p.own, &r.control, &r.own}} {
			theirs := turn.times == &r.karpenters
			if theirs && (skip || r.slow) {
				continue
			}
			limit := o.limit
			if !theirs {
				limit = time.Hour
			}
			spent, got, err := round(ctx, limit, turn.do)
			if theirs && errors.Is(err, errSlow) {
				r.slow, err = true, nil
			}
			if err != nil {
				return r, err
			}
			*turn.times, *turn.last = append(*turn.times, spent), got
			if theirs && r.slow {
				r.karpenters = []time.Duration{spent} // Only this is reported.
			}
		}
	}
	return r, nil
}

// round calls a side for the minimum duration, and returns the mean. For a timeout, it returns the
// time spent.
func round(ctx context.Context, limit time.Duration, do side) (time.Duration, outcome, error) {
	runtime.GC()
	for n := 1; ; n *= 2 {
		started, err := processTime()
		if err != nil {
			return 0, outcome{}, err
		}
		var got outcome
		for range n {
			if got, err = timeout(ctx, limit, do); err != nil {
				break
			}
		}
		ended, errTime := processTime()
		if errTime != nil {
			return 0, outcome{}, errTime
		}
		if err != nil {
			return ended - started, outcome{}, err
		}
		if ended-started >= long {
			return (ended - started) / time.Duration(n), got, nil
		}
	}
}

// processTime is the CPU time of the process: without other load on the machine, but with the
// garbage collector.
func processTime() (time.Duration, error) {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0, fmt.Errorf("read the CPU time of the process: %w", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), nil
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "Load of the machine: not known."
	}
	fields := strings.Fields(string(text))
	return fmt.Sprintf("Load of the machine: %s, %d processors.", fields[0], runtime.NumCPU())
}

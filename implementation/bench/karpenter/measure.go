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

// long is how much time the calls of a round take together, unless one takes longer.
const long = 100 * time.Millisecond

// row is what was measured of a problem.
type row struct {
	problem
	// times of a call in each round; control is ours once more.
	ours, control, karpenters []time.Duration
	own, karpenter            outcome
	// slow: karpenter had no answer in time, and karpenters is what it spent until then.
	// skipped: it was not asked, because a smaller problem was too much.
	slow, skipped bool
}

// measure prints a table, and what the limit has cut.
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

// row measures a problem. A problem that takes karpenter too long once is not tried again.
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
				r.karpenters = []time.Duration{spent} // Nothing but this is told.
			}
		}
	}
	return r, nil
}

// round calls a side until it has lasted long enough, and returns the mean. Time of an
// answer that did not come is what was spent.
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

// processTime is the CPU time that the process has used: what others do on the machine is
// not in it, what the garbage collector does is.
func processTime() (time.Duration, error) {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0, fmt.Errorf("read the CPU time of the process: %w", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), nil
}

// load says how busy the machine is.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "Load of the machine: not known."
	}
	fields := strings.Fields(string(text))
	return fmt.Sprintf("Load of the machine: %s, %d processors.", fields[0], runtime.NumCPU())
}

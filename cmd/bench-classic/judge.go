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
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// What is promised: how much later than one without claims a pod with a claim is bound,
// beyond what its driver needs, and after how many more attempts, on an idle cluster; and
// how many pods a second are bound when many are created at once.
const (
	mostAdded    = 200 * time.Millisecond
	mostAttempts = 2
	leastRate    = 20.0
)

// requests are what scheduler and driver asked of the API server, but for watches and
// leases.
type requests struct{ scheduler, driver float64 }

func (r requests) minus(other requests) requests {
	return requests{r.scheduler - other.scheduler, r.driver - other.driver}
}

// result is what was measured.
type result struct {
	// added is for each single pod how much later it was bound than one without claims,
	// beyond what its driver needs; attempts is how many more of the scheduler it took.
	added    []time.Duration
	attempts []int
	rounds   []round
	// bound are the requests in restTime once all pods are bound, waiting those while a pod
	// waits that no node suits.
	bound, waiting requests
	restTime       time.Duration
}

// round is what it took to have many pods bound.
type round struct {
	rate     float64 // pods a second
	attempts float64 // of the scheduler, for each pod
	asked    requests
}

// line is a number with its limit, which is empty for one that is only told.
type line struct {
	what, limit, measured string
	missed                bool
}

// lines judges. What was not measured is missed.
func (r result) lines() []line {
	var rates, attempts []float64
	for _, one := range r.rounds {
		rates, attempts = append(rates, one.rate), append(attempts, one.attempts)
	}
	return []line{
		{"a pod with a claim is bound later than one without, beyond its driver's time", "at most " + mostAdded.String(), spread(r.added, milliseconds, "pods"), len(r.added) == 0 || slices.Max(r.added) > mostAdded},
		{"and after more attempts", fmt.Sprintf("at most %d", mostAttempts), spread(r.attempts, count, "pods"), len(r.attempts) == 0 || slices.Max(r.attempts) > mostAttempts},
		{"of many pods, bound a second", fmt.Sprintf("at least %.0f", leastRate), spread(rates, tenths, "rounds"), len(rates) == 0 || slices.Min(rates) < leastRate},
		{"  attempts for each", "", spread(attempts, tenths, "rounds"), false},
		{"  requests for each, scheduler", "", spread(r.asked(func(a requests) float64 { return a.scheduler }), tenths, "rounds"), false},
		{"  requests for each, driver", "", spread(r.asked(func(a requests) float64 { return a.driver }), tenths, "rounds"), false},
		{"requests in " + r.restTime.String() + " at rest", "0", r.bound.String(), r.bound != requests{} || r.restTime == 0},
		{"the same while a pod waits that no node suits", "", r.waiting.String(), false},
	}
}

func (r result) asked(of func(requests) float64) []float64 {
	var all []float64
	for _, one := range r.rounds {
		all = append(all, of(one.asked))
	}
	return all
}

func (r requests) String() string {
	return fmt.Sprintf("scheduler %.0f, driver %.0f", r.scheduler, r.driver)
}

func milliseconds(d time.Duration) string { return d.Round(time.Millisecond).String() }
func count(n int) string                  { return fmt.Sprint(n) }
func tenths(f float64) string             { return fmt.Sprintf("%.1f", f) }

// spread is the median of numbers with the least and the most of them.
func spread[T cmp.Ordered](all []T, text func(T) string, of string) string {
	if len(all) == 0 {
		return "not measured"
	}
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf("%s (%s to %s, %d %s)", text(sorted[len(sorted)/2]), text(sorted[0]), text(sorted[len(sorted)-1]), len(sorted), of)
}

// report prints a table, and says whether a limit is missed.
func report(out io.Writer, lines []line) (missed bool, err error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tLIMIT\tMEASURED\tVERDICT")
	for _, l := range lines {
		verdict := "ok"
		switch {
		case l.limit == "":
			verdict = ""
		case l.missed:
			verdict, missed = "MISSED", true
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.what, cmp.Or(l.limit, "-"), l.measured, verdict)
	}
	return missed, table.Flush()
}

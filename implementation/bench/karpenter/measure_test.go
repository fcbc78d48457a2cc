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
	"testing"
	"time"
)

func TestRatios(t *testing.T) {
	ms := func(all ...int) (times []time.Duration) {
		for _, n := range all {
			times = append(times, time.Duration(n)*time.Millisecond)
		}
		return times
	}
	if got := ratios(ms(200, 30, 3000), ms(10, 10, 10)); got != "20.0 [3.00, 300]" {
		t.Errorf("got %s", got)
	}
	r := row{problem: problem{name: "p"}, ours: ms(10, 10, 10), control: ms(10, 11, 10), karpenters: ms(20, 20, 30), own: outcome{3, 2, 2}, karpenter: outcome{3, 2, 0}}
	if got, want := r.line(), "p\t10.00 ms\t20.00 ms\t2.00 [2.00, 3.00]\t1.00 [1.00, 1.10]\t3 on 2, cost 2\t3 on 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.slow = true
	if got, want := r.line(), "p\t10.00 ms\t> 20.00 ms\t> 2.00\t1.00 [1.00, 1.10]\t3 on 2, cost 2\tno answer"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.karpenters = nil
	if got, want := r.line(), "p\t10.00 ms\tnot asked\t\t1.00 [1.00, 1.10]\t3 on 2, cost 2\tnot asked"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRowStopsWhenKarpenterIsSlow(t *testing.T) {
	asked := 0
	p := problem{
		name: "p",
		own:  func(context.Context) (outcome, error) { return outcome{placed: 1}, spend() },
		karpenter: func(context.Context) (outcome, error) {
			asked++
			return outcome{}, errSlow
		},
	}
	r, err := options{rounds: 3, limit: time.Second}.row(t.Context(), p, false)
	if err != nil || !r.slow || asked != 1 || len(r.ours) != 3 || len(r.control) != 3 || len(r.karpenters) != 1 {
		t.Errorf("%+v, asked %d times, error %v", r, asked, err)
	}
	if r, err := (options{rounds: 1, limit: time.Second}).row(t.Context(), p, true); err != nil || !r.skipped || asked != 1 {
		t.Errorf("%+v, asked %d times, error %v", r, asked, err)
	}
	p.own = func(context.Context) (outcome, error) { return outcome{}, errors.New("wrong") }
	if _, err := (options{rounds: 1, limit: time.Second}).row(t.Context(), p, true); err == nil {
		t.Error("an error of ours is not told")
	}
}

func spend() error {
	started, err := processTime()
	for now := started; err == nil && now-started < 20*time.Millisecond; {
		now, err = processTime()
	}
	return err
}

// Both sides place the same pods, with ours on no more nodes, otherwise the times are meaningless.
// The other problems take karpenter too long for a test: it gives up after 5 s.
func TestProblems(t *testing.T) {
	for _, p := range problems() {
		switch p.name {
		case "plain 8", "three 6", "three 8", "500 nodes, two-term selector":
		default:
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			ours, err := timeout(t.Context(), time.Hour, p.own)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := timeout(t.Context(), time.Hour, p.karpenter)
			if err != nil {
				t.Fatal(err)
			}
			if ours.placed < theirs.placed || ours.placed == theirs.placed && ours.nodes > theirs.nodes {
				t.Errorf("ours: %s, karpenter's: %s", ours, theirs)
			}
		})
	}
}

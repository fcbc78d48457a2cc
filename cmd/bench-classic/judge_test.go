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
	"bytes"
	"strings"
	"testing"
	"time"
)

// measured is a result within all limits, some of which it just meets.
func measured() result {
	return result{
		added: []time.Duration{200 * time.Millisecond, 50 * time.Millisecond, -time.Millisecond}, attempts: []int{1, 2, 1},
		rounds:   []round{{rate: 20, attempts: 2, asked: requests{4, 5}}, {rate: 31.25, attempts: 2.1, asked: requests{4, 5}}},
		restTime: time.Minute, waiting: requests{0, 2},
	}
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	if missed, err := report(&out, measured().lines()); missed || err != nil {
		t.Errorf("missed %t, %v:\n%s", missed, err, out.String())
	}
	for _, want := range []string{"50ms (-1ms to 200ms, 3 pods)", "1 (1 to 2, 3 pods)", "31.2 (20.0 to 31.2, 2 rounds)", "scheduler 0, driver 2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestEachLimitIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*result)
		number string
	}{
		"one pod late":      {func(r *result) { r.added[1] = 201 * time.Millisecond }, "bound later"},
		"many attempts":     {func(r *result) { r.attempts[2] = 3 }, "more attempts"},
		"one round slow":    {func(r *result) { r.rounds[1].rate = 19.9 }, "bound a second"},
		"scheduler asks":    {func(r *result) { r.bound.scheduler = 1 }, "at rest"},
		"driver asks":       {func(r *result) { r.bound.driver = 1 }, "at rest"},
		"no time at rest":   {func(r *result) { r.restTime = 0 }, "at rest"},
		"no single pods":    {func(r *result) { r.added = nil }, "bound later"},
		"no attempts known": {func(r *result) { r.attempts = nil }, "more attempts"},
		"no rounds":         {func(r *result) { r.rounds = nil }, "bound a second"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := measured()
			test.change(&bad)
			var out bytes.Buffer
			if missed, err := report(&out, bad.lines()); !missed || err != nil {
				t.Errorf("missed %t, %v", missed, err)
			}
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, "MISSED") != strings.Contains(line, test.number) {
					t.Errorf("got:\n%s", out.String())
				}
			}
		})
	}
}

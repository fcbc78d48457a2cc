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

package certify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Guessed durations, in addition to the start of a pod with a claim.
const (
	guessedCase   = 2 * time.Second
	guessedSerial = 12 * time.Second // most of these restart the driver
	guessedCosts  = 80 * time.Second
	guessedRest   = 20 * time.Second
)

// timings has the durations of a driver's earlier certifications, in seconds.
type timings struct {
	Cases map[string]float64 `json:"cases"`
	// Rest is the time not spent in cases.
	Rest float64 `json:"rest"`
}

// longest bounds each duration of timings, in seconds.
const longest = 24 * 60 * 60

// readTimings returns no timings for a missing or damaged file.
func readTimings(file string) (t timings) {
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &t) != nil {
		return timings{}
	}
	for _, s := range append(slices.Collect(maps.Values(t.Cases)), t.Rest) {
		if s < 0 || s > longest {
			return timings{}
		}
	}
	return t
}

// learn adds the durations of a certification; took is its total duration.
func (t timings) learn(file string, r schema.Report, took time.Duration) error {
	if t.Cases == nil {
		t.Cases = map[string]float64{}
	}
	var s schedule
	for _, c := range r.Cases {
		if c.DurationSeconds == 0 { // it did not run
			continue
		}
		t.Cases[c.ID] = c.DurationSeconds
		s.add(seconds(c.DurationSeconds), slices.Contains(c.Labels, "Serial"))
	}
	if s.cases == 0 {
		return nil
	}
	t.Rest = max(0, took-s.takes(r.Selection.Parallel)).Seconds()
	data, err := json.Marshal(t)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = renameio.WriteFile(file, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the durations of cases for the next estimate: %w", err)
	}
	return nil
}

// estimate describes the expected duration of a plan, and its origin; started is the start time of a pod, or zero. It
// is empty if nothing is known.
func (t timings) estimate(p spec.Plan, parallel int, started time.Duration) string {
	var s schedule
	measured := 0
	for _, e := range p.Entries {
		known, ok := t.Cases[e.Meta.ID]
		switch serial := e.Meta.SerialBecause != ""; {
		case e.Skip != nil:
		case ok:
			measured++
			s.add(seconds(known), serial)
		default:
			s.add(guess(e.Meta, started), serial)
		}
	}
	if s.cases == 0 || measured == 0 && started == 0 {
		return ""
	}
	all := (s.takes(parallel) + cmp.Or(seconds(t.Rest), guessedRest)).Round(10 * time.Second)
	if measured == 0 {
		return fmt.Sprintf(", about %s (guessed from a pod start of %s: this driver was not certified here before)", all, started.Round(100*time.Millisecond))
	}
	return fmt.Sprintf(", about %s (%d of %d timed in earlier certifications)", all, measured, s.cases)
}

func guess(m spec.Meta, started time.Duration) time.Duration {
	switch {
	case m.ID == spec.CaseOfCosts:
		return guessedCosts + 4*started
	case m.Needs.Contract: // calls, no pods
		return guessedCase
	case m.SerialBecause != "":
		return guessedSerial + 4*started
	default:
		return guessedCase + 2*started
	}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// schedule is the time of cases: serial ones run alone, after the others.
type schedule struct {
	cases                     int
	serial, together, longest time.Duration
}

func (s *schedule) add(d time.Duration, serial bool) {
	s.cases++
	if serial {
		s.serial += d
		return
	}
	s.together += d
	s.longest = max(s.longest, d)
}

func (s schedule) takes(parallel int) time.Duration {
	return s.serial + max(s.longest, s.together/time.Duration(max(1, parallel)))
}

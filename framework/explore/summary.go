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

package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/reports/schema"
)

// SummaryFile is the name of the summary in the report directory.
const SummaryFile = "explore.json"

// Summary is the result of an exploration.
type Summary struct {
	Kubernetes string            `json:"kubernetes"`
	Stack      map[string]string `json:"stack,omitempty"`
	Seed       uint64            `json:"seed"`
	Features   []string          `json:"features,omitempty"`
	// Next is the number of the first problem not yet started.
	Next uint64 `json:"next"`
	// Left lists earlier problems without an outcome, for a resumption.
	Left    []uint64 `json:"left,omitempty"`
	Seconds float64  `json:"seconds"`
	// Problems counts judged problems, Refused those rejected by the API server.
	Problems int `json:"problems"`
	Refused  int `json:"refused"`
	// Refusals has the first rejections.
	Refusals []string `json:"refusals,omitempty"`
	// Undecided counts questions left open by the oracle.
	Undecided int `json:"undecided"`
	// Coverage describes the combinations of features.
	Coverage string    `json:"coverage,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Excused counts findings by known issue.
	Excused map[string]int `json:"excused,omitempty"`
	// Unconfirmed has violations not reproduced by two more attempts.
	Unconfirmed []Finding `json:"unconfirmed,omitempty"`
	// Troubles lists problems without an outcome, with their errors.
	Troubles []string       `json:"troubles,omitempty"`
	Verdict  schema.Verdict `json:"verdict"`
}

// Finding is a problem with a wrong outcome.
type Finding struct {
	Number     uint64             `json:"number"`
	Violations []oracle.Violation `json:"violations"`
	// File is the file with the problem's objects, in the report directory.
	File string `json:"file,omitempty"`
}

// load reads the summary of an interrupted exploration.
func load(dir string, o Options) (Summary, error) {
	var s Summary
	data, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("resume: %s has no %s", dir, SummaryFile)
	}
	if err != nil {
		return s, fmt.Errorf("resume: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("resume: read %s: %w", SummaryFile, err)
	}
	if s.Seed != o.Seed {
		return s, fmt.Errorf("resume: the exploration has seed %d, not %d", s.Seed, o.Seed)
	}
	if !slices.Equal(s.Features, o.Features) {
		return s, fmt.Errorf("resume: the exploration has the features %q, not %q", s.Features, o.Features)
	}
	return s, nil
}

func (s Summary) write(file string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return renameio.WriteFile(file, append(data, '\n'), 0o644)
}

// judge sets the verdict.
func (s *Summary) judge() {
	switch {
	case len(s.Findings) > 0:
		s.Verdict = schema.Failed
	case len(s.Troubles) > 0 || s.Problems == 0:
		s.Verdict = schema.Incomplete
	default:
		s.Verdict = schema.Passed
	}
}

// line returns the progress as one line.
func (s Summary) line() string {
	return fmt.Sprintf("%d problems, %.0f a minute, %d refused, %d findings, %d unconfirmed, %d not tried; %s",
		s.Problems, float64(s.Problems)/max(s.Seconds, 1)*60, s.Refused, len(s.Findings), len(s.Unconfirmed), len(s.Troubles), s.Coverage)
}

// Print prints the summary as text.
func (s Summary) Print(out io.Writer, file string) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	for _, f := range s.Findings {
		say("FINDING in problem %d (%s)", f.Number, f.File)
		for _, v := range f.Violations {
			say("  %s", v)
		}
	}
	for _, issue := range slices.Sorted(maps.Keys(s.Excused)) {
		say("known issue %s: %d problems", issue, s.Excused[issue])
	}
	say("Kubernetes %s, seed %d: %s in %s", s.Kubernetes, s.Seed, s.line(), (time.Duration(s.Seconds) * time.Second).String())
	say("%s: %s", s.Verdict, file)
}

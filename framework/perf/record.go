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

package perf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/perf/benchfmt"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// RecordVersion is the version of Record's schema.
const RecordVersion = "dra-conformance.github.io/perf-v1alpha1"

// File names of results in the report directory. BenchFile is in Go's benchmark format: "benchstat
// -col /side perf.bench" compares the sides.
const (
	RecordFile = "perf.json"
	BenchFile  = "perf.bench"
)

// Record has the measurements and results of a run.
type Record struct {
	SchemaVersion string       `json:"schemaVersion"`
	Suite         schema.Suite `json:"suite"`
	// Kubernetes is the candidate's version.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Reference and Candidate are from Variant.Describe, such as "stock".
	Reference  string     `json:"reference"`
	Candidate  string     `json:"candidate"`
	Processors int        `json:"processors"`
	Started    time.Time  `json:"started"`
	Ended      time.Time  `json:"ended"`
	Workloads  []Workload `json:"workloads"`
	Rounds     []Round    `json:"rounds"`
	Findings   []Finding  `json:"findings"`
	// Problem is the reason for an unfinished run.
	Problem string `json:"problem,omitempty"`
	// Verdict is Failed if a threshold is missed, Incomplete if one is inconclusive or the run is
	// unfinished, and NothingRan without thresholds.
	Verdict schema.Verdict `json:"verdict"`
}

func newRecord(o Options) (Record, error) {
	reference, err := o.Reference.Describe()
	candidate, candidateErr := o.Candidate.Describe()
	return Record{
		SchemaVersion: RecordVersion, Suite: reports.SuiteVersion(), Processors: runtime.NumCPU(), Started: time.Now(),
		Reference: reference, Candidate: candidate, Workloads: o.Workloads,
	}, errors.Join(err, candidateErr)
}

// finish judges the measurements.
func (r *Record) finish(thresholds []Threshold, problem error) {
	r.Ended, r.Findings = time.Now(), nil
	counts := map[Judgement]int{}
	for _, t := range thresholds {
		f := Judge(t, r.Rounds)
		counts[f.Judgement]++
		r.Findings = append(r.Findings, f)
	}
	if problem != nil {
		r.Problem = problem.Error()
	}
	switch {
	case counts[Missed] > 0:
		r.Verdict = schema.Failed
	case problem != nil || counts[Inconclusive] > 0:
		r.Verdict = schema.Incomplete
	case len(thresholds) == 0:
		r.Verdict = schema.NothingRan
	default:
		r.Verdict = schema.Passed
	}
}

func (r Record) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	bench, err := r.bench()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{RecordFile: append(data, '\n'), BenchFile: bench} {
		if err := renameio.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	return nil
}

// bench returns the measurements in Go's benchmark format, a line per round.
func (r Record) bench() ([]byte, error) {
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out)
	pods := map[string]int{}
	for _, workload := range r.Workloads {
		pods[workload.Name] = workload.Pods
	}
	for _, round := range r.Rounds {
		name := fmt.Sprintf("Pods/workload=%s/size=%d/side=%s", round.Workload, round.Size, round.Side)
		result := benchfmt.Result{
			Config: []benchfmt.Config{
				{Key: "kubernetes", Value: []byte(r.Kubernetes), File: true},
				{Key: "reference", Value: []byte(r.Reference), File: true},
				{Key: "candidate", Value: []byte(r.Candidate), File: true},
			},
			Name: benchfmt.Name(name), Iters: pods[round.Workload],
		}
		for _, m := range Metrics() {
			if _, measured := round.Values[m]; !measured {
				continue
			}
			result.Values = append(result.Values, benchfmt.Value{Value: round.Values[m], Unit: string(m)})
		}
		if err := w.Write(&result); err != nil {
			return nil, fmt.Errorf("write results for benchstat: %w", err)
		}
	}
	return out.Bytes(), nil
}

// ReadRecord reads the record of a report directory.
func ReadRecord(dir string) (Record, error) {
	var r Record
	data, err := os.ReadFile(filepath.Join(dir, RecordFile))
	if err != nil {
		return r, fmt.Errorf("read results: %w: give a report directory of \"dratest perf run\"", err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read results of %s: %w", dir, err)
	}
	if r.SchemaVersion != RecordVersion {
		return r, fmt.Errorf("read results of %s: schemaVersion %q is not known, only %s: use the dratest that made them", dir, r.SchemaVersion, RecordVersion)
	}
	return r, nil
}

// ReadRecords reads all records below a directory, from oldest to newest.
func ReadRecords(dir string) ([]Record, error) {
	var records []Record
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != RecordFile {
			return err
		}
		r, err := ReadRecord(filepath.Dir(path))
		records = append(records, r)
		return err
	})
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("read results: there is no %s below %s", RecordFile, dir)
	}
	slices.SortStableFunc(records, func(a, b Record) int { return a.Started.Compare(b.Started) })
	return records, err
}

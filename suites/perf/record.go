package perf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/perf/benchfmt"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// RecordVersion is the version of the schema of Record.
const RecordVersion = "dra-conformance.github.io/perf-v1alpha1"

// The names of the results in the report directory. BenchFile is in Go's benchmark
// format: "benchstat -col /side perf.bench" compares the sides.
const (
	RecordFile = "perf.json"
	BenchFile  = "perf.bench"
)

// Record is all that a run has measured, and what it came to.
type Record struct {
	SchemaVersion string       `json:"schemaVersion"`
	Suite         schema.Suite `json:"suite"`
	Kubernetes    string       `json:"kubernetes,omitempty"`
	// Reference and Candidate are the stacks, as "stock".
	Reference  string     `json:"reference"`
	Candidate  string     `json:"candidate"`
	Processors int        `json:"processors"`
	Started    time.Time  `json:"started"`
	Ended      time.Time  `json:"ended"`
	Workloads  []Workload `json:"workloads"`
	Rounds     []Round    `json:"rounds"`
	Findings   []Finding  `json:"findings"`
	// Problem is why the run did not come to its end.
	Problem string `json:"problem,omitempty"`
	// Verdict is Failed if a threshold is missed, Incomplete if it cannot be told of one
	// or the run did not come to its end, NothingRan without thresholds.
	Verdict schema.Verdict `json:"verdict"`
}

func newRecord(o Options) Record {
	return Record{
		SchemaVersion: RecordVersion, Suite: reports.SuiteVersion(), Processors: runtime.NumCPU(), Started: time.Now(),
		Reference: o.Reference.String(), Candidate: o.Candidate.String(), Workloads: o.Workloads,
	}
}

// finish judges what was measured.
func (r *Record) finish(thresholds []Threshold, problem error) {
	r.Ended = time.Now()
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
	case problem != nil || counts[CannotTell] > 0:
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

// bench is what was measured in Go's benchmark format, a line per round.
func (r Record) bench() ([]byte, error) {
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out)
	pods := map[string]int{}
	for _, workload := range r.Workloads {
		pods[workload.Name] = workload.Pods
	}
	for _, round := range r.Rounds {
		result := benchfmt.Result{
			Config: []benchfmt.Config{
				{Key: "kubernetes", Value: []byte(r.Kubernetes), File: true},
				{Key: "reference", Value: []byte(r.Reference), File: true},
				{Key: "candidate", Value: []byte(r.Candidate), File: true},
			},
			Name: benchfmt.Name(fmt.Sprintf("Pods/workload=%s/side=%s", round.Workload, round.Side)), Iters: pods[round.Workload],
		}
		for _, m := range Metrics() {
			result.Values = append(result.Values, benchfmt.Value{Value: round.Values[m], Unit: string(m)})
		}
		if err := w.Write(&result); err != nil {
			return nil, fmt.Errorf("write results for benchstat: %w", err)
		}
	}
	return out.Bytes(), nil
}

package verify

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// journal is what outcomes.jsonl tells.
type journal struct {
	outcomes []spec.Outcome
	steps    map[string][]string // of each case
	problems []string
}

func (v *verification) journal() (journal, bool) {
	j := journal{steps: map[string][]string{}}
	data, err := fs.ReadFile(v.dir, reports.JournalFile)
	if err != nil {
		return j, !v.ran() // files has said so if it has to be there
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		var record struct {
			spec.Progress

			Problem string `json:"problem"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			v.refuse("%s: line %d is malformed: %v", reports.JournalFile, number, err)
			continue
		}
		switch {
		case record.Problem != "":
			j.problems = append(j.problems, record.Problem)
		case record.Outcome != nil:
			j.outcomes = append(j.outcomes, *record.Outcome)
		case record.Step != "":
			j.steps[record.ID] = append(j.steps[record.ID], record.Step)
		}
	}
	return j, true
}

// ran is whether the report says that any case did.
func (v *verification) ran() bool {
	return slices.ContainsFunc(v.conformance.Cases, func(c schema.ConformanceCase) bool { return len(c.Attempts) > 0 })
}

// outcomes are those of the journal, and those of cases that did not come to one: the
// report is the only file that knows when these were given up.
func (v *verification) outcomes(r schema.Report, j journal) []spec.Outcome {
	outcomes := slices.Clone(j.outcomes)
	for _, c := range r.Cases {
		if c.SkipCode != "" || slices.ContainsFunc(j.outcomes, func(o spec.Outcome) bool { return o.ID == c.ID }) {
			continue
		}
		if c.Status != spec.Blocked || !strings.HasPrefix(c.Reason, "did not end") {
			v.refuse("%s: case %s is %s, and %s has no outcome of it", reports.JSONFile, c.ID, c.Status, reports.JournalFile)
		}
		outcomes = append(outcomes, spec.Outcome{
			ID: c.ID, Status: spec.Blocked, Started: c.Started, Reason: c.Reason, LastStep: c.LastStep,
			Duration: time.Duration(c.DurationSeconds * float64(time.Second)),
		})
	}
	return outcomes
}

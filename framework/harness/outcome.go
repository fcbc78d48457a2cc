package harness

import (
	"path"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// outcome is what Ginkgo's report of a spec means.
func (t *T) outcome(report types.SpecReport) *spec.Outcome {
	o := &spec.Outcome{ID: t.meta.ID, Started: t.started, Duration: report.RunTime, Evidence: t.folder}
	switch {
	case report.State.Is(types.SpecStatePassed):
		o.Status = spec.Passed
		return o
	case report.State.Is(types.SpecStateInterrupted | types.SpecStateAborted):
		o.Status, o.Reason = spec.Blocked, "the run was interrupted"
	case t.blocked:
		o.Status, o.Reason = spec.Blocked, "the environment kept the case from starting"
	default:
		o.Status = spec.Failed
	}
	o.Failure = report.Failure.Message
	if report.Failure.ForwardedPanic != "" {
		o.Failure += ": " + report.Failure.ForwardedPanic
	}
	o.Location = relative(report.Failure.Location.FileName, report.Failure.Location.LineNumber)
	t.markFailed() // Ginkgo itself ends cases that hang or panic
	o.LastStep = t.failed
	return o
}

// folderOf is where the evidence of a case goes, below the report directory.
func folderOf(id string) string {
	return path.Join("cases", strings.ReplaceAll(id, "/", "."))
}

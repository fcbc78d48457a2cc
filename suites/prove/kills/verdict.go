package kills

import (
	"fmt"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/prove"
)

// Judge: some case must have failed. Those that did not are told, because they claim a
// requirement that is broken; so are those that cannot run here.
func Judge(r schema.Report) prove.Finding {
	var f prove.Finding
	var passed, left, blocked []string
	for _, c := range r.Cases {
		switch c.Status {
		case spec.Failed:
			if strings.HasPrefix(c.Failure, "clean up:") { // all that it checks held
				passed = append(passed, c.ID)
				continue
			}
			f.By = append(f.By, c.ID)
		case spec.NotApplicable:
			left = append(left, c.ID)
		case spec.Blocked:
			blocked = append(blocked, fmt.Sprintf("%s: %s", c.ID, c.Reason))
		default:
			passed = append(passed, c.ID)
		}
	}
	f.Shown = len(f.By) > 0
	if f.Shown {
		f.Note = says(r, f.By[0])
		return f
	}
	f.Missed = passed
	f.NotApplicable = len(left) > 0 && len(left) == len(r.Cases)
	if len(left) > 0 {
		f.Note = "the cluster does not have what these need: " + strings.Join(left, ", ")
	}
	if len(passed) == 0 && len(blocked) > 0 {
		f.Problem = "cases did not come to their end: " + strings.Join(blocked, "; ")
	}
	return f
}

// says is the first line of what a case that failed says.
func says(r schema.Report, id string) string {
	for _, c := range r.Cases {
		if c.ID == id {
			line, _, _ := strings.Cut(c.Failure, "\n")
			return line
		}
	}
	return ""
}

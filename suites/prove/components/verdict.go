package components

import (
	"fmt"
	"slices"
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

// Doubtful are the cases of a finding that must pass without the mutant before they are
// believed: those that have never done so, and those that failed because their time was
// over, as they do where the machine is busy.
func Doubtful(f prove.Finding, with schema.Report, sound map[string]bool) []string {
	var doubt []string
	for _, id := range f.By {
		if !sound[id] || strings.Contains(says(with, id), "the case took longer than") {
			doubt = append(doubt, id)
		}
	}
	return doubt
}

// keep leaves in a finding the cases that stand, and says what they say of the mutant.
func keep(f prove.Finding, with schema.Report, stands func(id string) bool) prove.Finding {
	f.By = slices.DeleteFunc(slices.Clone(f.By), func(id string) bool { return !stands(id) })
	f.Shown, f.Note = len(f.By) > 0, ""
	if f.Shown {
		f.Problem, f.Note = "", says(with, f.By[0])
	}
	return f
}

// believe returns a finding with the cases that are beyond doubt, and none; or as it is, with
// the cases that have to run without the mutant. One that is beyond doubt is enough, but
// where a case is in doubt that is quiet so far: it is to be known of each whether it notices
// something.
func believe(f prove.Finding, with schema.Report, doubt, quiet []string) (prove.Finding, []string) {
	news := slices.ContainsFunc(doubt, func(id string) bool { return slices.Contains(quiet, id) })
	if len(doubt) == 0 || len(doubt) < len(f.By) && !news {
		if f.Shown {
			f = keep(f, with, func(id string) bool { return !slices.Contains(doubt, id) })
		}
		return f, nil
	}
	return f, doubt
}

// Holds tells whether a case that came to this is to be believed when it fails with a
// mutant: it passes without, or sees what Kubernetes is known for, and nothing else.
func Holds(s spec.Status) bool { return s == spec.Passed || s == spec.Known }

// Confirm leaves in a finding the cases that are beyond doubt, which have not run without the
// mutant, and the others that pass without it.
func Confirm(f prove.Finding, with, without schema.Report) prove.Finding {
	fails := map[string]bool{}
	for _, c := range without.Cases {
		if !Holds(c.Status) {
			fails[c.ID] = true
			f.Problem = fmt.Sprintf("%s does not pass without the mutant either: %s %s%s", c.ID, c.Status, c.Failure, c.Reason)
		}
	}
	return keep(f, with, func(id string) bool { return !fails[id] })
}

// restarting tells whether one of the cases that ran restarts components itself.
func restarting(metas []spec.Meta, r schema.Report) bool {
	return slices.ContainsFunc(r.Cases, func(c schema.Case) bool {
		return c.Status != spec.NotApplicable && slices.ContainsFunc(metas, func(m spec.Meta) bool {
			return m.ID == c.ID && (m.Needs.Disruption || m.Needs.Restarts != "")
		})
	})
}

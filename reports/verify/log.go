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

package verify

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// logEntry is Ginkgo's output of one case.
type logEntry struct {
	passed bool
	text   string
}

var (
	// entryHead matches the result of a case: "• [3.1 seconds]", or "• [FAILED] [3.1 seconds]".
	entryHead = regexp.MustCompile(`(?m)^• (?:\[([A-Z !]+)\] )?\[[0-9.]+ seconds\]$`)
	// entryEnd separates entries. Inside an entry it is indented, as around progress reports.
	entryEnd = regexp.MustCompile(`(?m)^-{30}\n`)
	// entryName matches the line after entryEnd, or with a single process the first line of the entry: the
	// case's ID, description and labels. Output of cases is indented.
	entryName = regexp.MustCompile(`(?m)^(?:TOP-LEVEL )?(?:\[[A-Za-z ()]+\] )?([a-z0-9-]+/[a-z0-9-]+) `)
	// inContainer matches the result and the space of a container without a name, that of cases with HoldsNode.
	inContainer = regexp.MustCompile(`(?m)^(• .*seconds\]\n) `)
	// beginning matches the first line, totals one of the last lines.
	beginning = regexp.MustCompile(`(?m)^Running Suite: `)
	totals    = regexp.MustCompile(`(?m)^(?:SUCCESS|FAIL)! .*-- ([0-9]+) Passed \| ([0-9]+) Failed \|`)
)

// readLog returns the entries of e2e.log by case.
func readLog(log string) map[string][]logEntry {
	entries := map[string][]logEntry{}
	for _, part := range entryEnd.Split(log, -1) {
		head := entryHead.FindStringSubmatchIndex(part)
		if head == nil {
			continue
		}
		if name := entryName.FindStringSubmatch(inContainer.ReplaceAllString(part, "$1")); name != nil {
			entries[name[1]] = append(entries[name[1]], logEntry{passed: head[2] < 0, text: part})
		}
	}
	return entries
}

// log compares Ginkgo's output with the outcomes.
func (v *verification) log(r schema.Report, j journal) {
	data, err := fs.ReadFile(v.dir, reports.LogFile)
	if err != nil {
		return // files has reported it missing
	}
	log := spec.Printable(string(data))
	entries := readLog(log)
	last := map[string]spec.Outcome{}
	for _, o := range j.outcomes {
		last[o.ID] = o
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		if v.isCheck(id) {
			v.loggedCheck(log, last[id])
			continue
		}
		v.logged(id, last[id], entries[id], j.steps[id], r.Problems)
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		if _, ok := last[id]; !ok {
			v.refuse("%s: it has case %s, of which %s has no outcome", reports.LogFile, id, reports.JournalFile)
		}
	}
	v.totals(log, entries)
}

// isCheck reports whether a case is no Ginkgo spec.
func (v *verification) isCheck(id string) bool {
	return slices.ContainsFunc(v.list, func(c schema.RequiredCase) bool { return c.ID == id && c.DriverProfile == spec.ProfileContract })
}

func (v *verification) loggedCheck(log string, o spec.Outcome) {
	if line := reports.CheckLine(o); !strings.Contains("\n"+log, "\n"+line+"\n") {
		v.refuse("%s: it has no line %q, and check %s is %s in %s", reports.LogFile, line, o.ID, o.Status, reports.JournalFile)
	}
}

func (v *verification) logged(id string, o spec.Outcome, entries []logEntry, steps, problems []string) {
	passed := o.Status.Ended()
	if len(entries) == 0 {
		if !passed {
			return // interrupted attempts may be missing in the log
		}
		v.refuse("%s: it has nothing about case %s, which is %s in %s", reports.LogFile, id, o.Status, reports.JournalFile)
		return
	}
	last := entries[len(entries)-1]
	late := slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, "case "+id+" failed after it had ended") })
	if last.passed != passed && !late {
		v.refuse("%s: case %s has %s there, and is %s in %s", reports.LogFile, id, words(last.passed), o.Status, reports.JournalFile)
	}
	all := ""
	for _, e := range entries {
		all += e.text
	}
	for _, step := range steps {
		if !strings.Contains(all, " "+step+"\n") {
			v.refuse("%s: it has not the step of case %s that %s has: %s", reports.LogFile, id, reports.JournalFile, step)
		}
	}
}

func words(passed bool) string {
	if passed {
		return "passed"
	}
	return "failed"
}

// totals compares the numbers at the end of the log with its entries. A killed run has none, a resumed
// run has several.
func (v *verification) totals(log string, entries map[string][]logEntry) {
	all := totals.FindAllStringSubmatch(log, -1)
	if len(all) == 0 || len(all) != len(beginning.FindAllString(log, -1)) {
		return
	}
	number := map[bool]int{}
	for _, of := range entries {
		for _, e := range of {
			number[e.passed]++
		}
	}
	for i, passed := range []bool{true, false} {
		want := 0
		for _, found := range all {
			n, _ := strconv.Atoi(found[i+1]) // digits only
			want += n
		}
		if want != number[passed] {
			v.refuse("%s: it ends with %d that %s, and has %d", reports.LogFile, want, words(passed), number[passed])
		}
	}
}

// evidence rejects evidence of a different case.
func (v *verification) evidence(r schema.Report) {
	for _, c := range r.Cases {
		if c.Evidence == "" {
			continue
		}
		steps := c.Evidence + "/steps.txt"
		data, err := fs.ReadFile(v.dir, steps)
		if err != nil {
			continue // files has reported it missing
		}
		text := spec.Printable(string(data))
		if !strings.HasPrefix(text, c.ID+"\n"+c.Checks+"\n") {
			v.refuse("%s: it is not about case %s", steps, c.ID)
		}
		if step, _, _ := strings.Cut(c.LastStep, "\n"); step != "" && !strings.Contains(text, " "+step) {
			v.refuse("%s: it has not the last step of case %s: %s", steps, c.ID, step)
		}
		if want := schema.EvidenceFolder(c.ID); c.Evidence != want && !strings.HasPrefix(c.Evidence, want+"/") {
			v.refuse("%s: the evidence of case %s is in %s, not in %s", reports.JSONFile, c.ID, c.Evidence, want)
		}
	}
}

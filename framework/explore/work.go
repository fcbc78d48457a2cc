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
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

const (
	// confirmations is the number of repetitions after a violation. All must break the same
	// promise.
	confirmations = 2
	// listed limits the rejections in the summary. As many troubles end an exploration.
	listed = 20
	// rare limits the consecutive problems without the selected features; reaching it ends an exploration.
	rare = 20_000
)

// work runs problems until the exploration ends: at once with ctx, between problems with exploring.
func (e *exploring) work(ctx, exploring context.Context, s *slot) {
	for exploring.Err() == nil && ctx.Err() == nil {
		number, p, ok := e.take(exploring)
		if !ok {
			return
		}
		e.try(ctx, s, number, p, generated(p))
	}
}

// take returns the next problem, or false if a limit is reached.
func (e *exploring) take(ctx context.Context) (uint64, *problem.Problem, bool) {
	for {
		e.mutex.Lock()
		s := &e.summary
		tried := s.Problems + s.Refused + len(s.Troubles) + len(e.running)
		if e.options.Problems > 0 && tried >= e.options.Problems || len(s.Troubles) >= listed || e.unwanted >= rare || ctx.Err() != nil {
			e.mutex.Unlock()
			return 0, nil, false
		}
		number := e.next
		if len(e.left) > 0 {
			number, e.left = e.left[0], e.left[1:]
		} else {
			e.next++
		}
		e.running[number] = true
		e.mutex.Unlock()
		p := generate.Stored(e.options.Seed, number, e.off)
		wanted := e.options.wanted(p)
		e.mutex.Lock()
		if wanted {
			e.unwanted = 0
			e.mutex.Unlock()
			return number, p, true
		}
		delete(e.running, number)
		if e.unwanted++; e.unwanted == rare {
			s.Troubles = append(s.Troubles, fmt.Sprintf("problem %d: none of %d problems before it has all the features asked for, which the cluster may lack", number, rare))
		}
		e.mutex.Unlock()
	}
}

// done records the result of a problem.
func (e *exploring) done(number uint64, count func(*Summary)) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	delete(e.running, number)
	count(&e.summary)
}

// try runs a problem, and repeats it after a wrong outcome.
func (e *exploring) try(ctx context.Context, s *slot, number uint64, p *problem.Problem, of subject) {
	id := fmt.Sprintf("x%dx", number)
	verdict, tried, err := e.attempt(ctx, s, of, id)
	undecided := len(verdict.Undecided)
	switch {
	case ctx.Err() != nil:
		return // It stays in running, for --resume.
	case errors.Is(err, errRefused):
		e.done(number, func(s *Summary) {
			s.Refused++
			if len(s.Refusals) < listed {
				s.Refusals = append(s.Refusals, fmt.Sprintf("problem %d: %v", number, err))
			}
		})
		return
	case err != nil:
		e.troubled(number, err)
		return
	}
	finding := Finding{Number: number, Violations: verdict.Violations}
	known := e.said(&finding, tried)
	first := finding
	confirmed := len(finding.Violations) > 0
	for i := 0; confirmed && i < confirmations; i++ {
		again := Finding{}
		verdict, tried, err = e.attempt(ctx, s, of, fmt.Sprintf("%s%c", id, 'a'+i))
		again.Violations = verdict.Violations
		known = append(known, e.said(&again, tried)...)
		finding.Violations = common(finding.Violations, again.Violations)
		confirmed = err == nil && len(finding.Violations) > 0
	}
	if err != nil && ctx.Err() == nil { // It is unknown whether it is confirmed.
		e.troubled(number, err)
		return
	}
	if confirmed && ctx.Err() == nil {
		if issue := e.excused(ctx, s, finding, tried); issue != "" {
			known, confirmed, first.Violations = append(known, issue), false, nil
		}
	}
	if ctx.Err() != nil { // It is unknown whether it is confirmed or excused.
		return
	}
	if confirmed {
		finding, tried = e.shrink(ctx, s, finding, tried)
		finding.File, err = writeFinding(e.options.ReportDir, e.findingName(number), finding, tried)
		e.bed.Progress.Printf("  !! problem %d: %s (%s)", number, finding.Violations[0], finding.File)
	}
	if confirmed && e.found != nil {
		defer e.found()
	}
	e.done(number, func(s *Summary) {
		s.Problems++
		s.Undecided += undecided
		e.coverage.Add(p)
		switch {
		case confirmed:
			s.Findings = append(s.Findings, finding)
		case len(known) > 0:
			s.Excused[strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", ")]++
		case len(first.Violations) > 0:
			s.Unconfirmed = append(s.Unconfirmed, first)
		}
		if err != nil {
			s.Troubles = append(s.Troubles, fmt.Sprintf("problem %d: %v", number, err))
		}
	})
}

// troubled records a problem without an outcome, which a resumption tries again.
func (e *exploring) troubled(number uint64, err error) {
	e.done(number, func(s *Summary) {
		s.Troubles = append(s.Troubles, fmt.Sprintf("problem %d: %v", number, err))
		s.Left = append(s.Left, number)
	})
}

// attempt runs a problem once.
func (e *exploring) attempt(ctx context.Context, s *slot, of subject, id string) (oracle.Verdict, *trial, error) {
	p, err := of(id, s.namespace.Name)
	if err != nil {
		return oracle.Verdict{}, nil, err
	}
	t := &trial{client: e.bed.Client, namespace: s.namespace, pods: s.pods, id: id, problem: p, evicted: map[string]bool{}}
	if binds(p) {
		t.binder = newBinder()
	}
	if t.outcome, err = t.run(ctx); err != nil {
		return oracle.Verdict{}, t, err
	}
	return oracle.Judge(t.problem, t.outcome), t, nil
}

// common returns the violations in last of promises also broken in before.
func common(before, last []oracle.Violation) []oracle.Violation {
	return slices.DeleteFunc(slices.Clone(last), func(v oracle.Violation) bool {
		return !slices.ContainsFunc(before, func(b oracle.Violation) bool { return b.Promise == v.Promise })
	})
}

// comment turns text into YAML comments.
func comment(text string) string {
	return "# " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n# ") + "\n"
}

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

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/checks"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/corpus"
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/catalogue"
	"github.com/dra-conformance/dratest/suites/sanity"
)

func newProveCorpusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "corpus [DIRECTORY...]",
		Short: "List published DRA bugs, and which of them dratest detects",
		Long: `List the published DRA bugs of Kubernetes, its libraries, drivers and tools
(framework/prove/corpus), each with the trials and known issues showing that dratest
detects it.

It runs nothing. The results of trials are those in suites/catalogue/kills.yaml, and
those in the report directories of "dratest prove stock", "mutants", "bugs" and "life".

Bugs that no test of a cluster or driver could show are not applicable, with the reason.

The last line is "corpus: detected=N missed=N not-yet=N not-applicable=N total=N". Exit
codes: 0 all applicable bugs are detected; 1 some are missed; 4 some were not tried yet.`,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			bugs, err := corpus.Load()
			if err != nil {
				return err
			}
			evidence, err := publishedEvidence(dirs)
			if err != nil {
				return err
			}
			verdicts := corpus.Judge(bugs, evidence)
			corpus.Print(cmd.OutOrStdout(), verdicts)
			switch missed, left := corpus.Count(verdicts, corpus.Missed), corpus.Count(verdicts, corpus.NotYet); {
			case missed > 0:
				return withCode(codeCasesFailed, fmt.Errorf("%d published bugs are missed", missed))
			case left > 0:
				return withCode(codeIncomplete, errors.New("some published bugs were not tried yet"))
			}
			return nil
		},
	}
}

// publishedEvidence returns the trials and known issues of published bugs: those of the committed record, and of the
// proofs in report directories.
func publishedEvidence(dirs []string) ([]corpus.Evidence, error) {
	detections, err := catalogue.Detections()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		record, err := prove.Merge([]string{dir})
		if err != nil {
			return nil, withCode(codeUsage, err)
		}
		detections = catalogue.AddDetections(detections, record)
	}
	mutants, err := catalogue.LoadMutants()
	if err != nil {
		return nil, err
	}
	evidence := trialsOf(mutants, detections)
	for _, m := range run.Metas(parts().Cases) {
		if m.KnownIssue != nil && m.KnownIssue.Issue != "" {
			evidence = append(evidence, corpus.Evidence{Issues: []string{m.KnownIssue.Issue}, What: "known issue", By: []string{m.ID}})
		}
	}
	for _, c := range sanity.All() {
		if slices.ContainsFunc(detections, func(d catalogue.Detection) bool { return slices.Contains(d.By, c.ID) }) {
			evidence = append(evidence, corpus.Evidence{Issues: issuesIn(c.Source), What: "check", By: []string{c.ID}})
		}
	}
	return evidence, nil
}

// trialsOf returns the tried mutants known from a published bug.
func trialsOf(mutants catalogue.Mutants, detections []catalogue.Detection) []corpus.Evidence {
	var evidence []corpus.Evidence
	add := func(proof string, d spec.Defect) {
		i := slices.IndexFunc(detections, func(x catalogue.Detection) bool { return x.Proof == proof && x.Mutant == d.ID })
		if i >= 0 && d.Issue != "" {
			evidence = append(evidence, corpus.Evidence{Issues: []string{d.Issue}, What: d.ID, By: detections[i].By})
		}
	}
	for _, m := range mutants.Stock {
		add(components.StockProof, m.Defect)
	}
	for _, m := range mutants.Components {
		add("", m.Defect)
	}
	for i := range mutants.API {
		add("", mutants.API[i].Defect)
	}
	for _, d := range mutants.Sanity {
		add(checks.Name, d)
	}
	for _, d := range mutants.Lifecycle {
		add(lifecycle.Name, d)
	}
	return evidence
}

// issuesIn splits a list such as "owner/repository#1, #2".
func issuesIn(text string) []string {
	var issues []string
	repository := ""
	for issue := range strings.SplitSeq(text, ", ") {
		owner, number, ok := strings.Cut(issue, "#")
		if !ok {
			continue
		}
		if owner != "" {
			repository = owner
		}
		issues = append(issues, repository+"#"+number)
	}
	return issues
}

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

package cncf

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/dra-conformance/dratest/reports/schema"
)

// event is an event of "go test -json" (go doc test2json).
type event struct {
	Time    time.Time
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"`
	Output  string   `json:",omitempty"`
}

// eventsOf returns the equivalent events of "go test -json".
func eventsOf(c schema.ConformanceReport, tests []test) []event {
	events := []event{{Time: c.Run.Started, Action: "start", Package: pkg}}
	add := func(at time.Time, action, name, output string, elapsed *float64) {
		events = append(events, event{at, action, pkg, name, elapsed, output})
	}
	for _, t := range tests {
		ended := t.started.Add(time.Duration(t.seconds * float64(time.Second)))
		add(t.started, "run", t.name, "", nil)
		add(t.started, "output", t.name, "=== RUN   "+t.name+"\n", nil)
		for _, line := range lines(t.note) {
			// The prefix prevents parsing the line as a test event.
			add(ended, "output", t.name, "    dratest: "+line+"\n", nil)
		}
		text := fmt.Sprintf("%.2f", t.seconds)
		add(ended, "output", t.name, fmt.Sprintf("--- %s: %s (%ss)\n", strings.ToUpper(t.action), t.name, text), nil)
		add(ended, t.action, t.name, "", number(text))
	}
	action, verdict, word := "pass", "PASS\n", "ok  "
	if failed(tests) {
		action, verdict, word = "fail", "FAIL\n", "FAIL"
	}
	text := fmt.Sprintf("%.3f", c.Run.Ended.Sub(c.Run.Started).Seconds())
	add(c.Run.Ended, "output", "", verdict, nil)
	add(c.Run.Ended, "output", "", word+"\t"+pkg+"\t"+text+"s\n", nil)
	add(c.Run.Ended, action, "", "", number(text))
	return events
}

// number parses the printed duration, so that both files agree.
func number(text string) *float64 {
	var n float64
	_, _ = fmt.Sscan(text, &n)
	return &n
}

func lines(note string) []string {
	if strings.TrimSpace(note) == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(note), "\n")
}

func renderLog(events []event) []byte {
	var b bytes.Buffer
	for _, e := range events {
		b.WriteString(e.Output)
	}
	return b.Bytes()
}

func renderResults(events []event) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	for _, e := range events {
		if err := encoder.Encode(e); err != nil {
			return nil, fmt.Errorf("render %s: %w", ResultsFile, err)
		}
	}
	return b.Bytes(), nil
}

// renderJUnit returns the JUnit report converted from "go test" output.
func renderJUnit(c schema.ConformanceReport, tests []test) ([]byte, error) {
	suite := reporters.JUnitTestSuite{
		Name: pkg, Tests: len(tests), Timestamp: c.Run.Started.Format(time.RFC3339), Time: c.Run.Ended.Sub(c.Run.Started).Seconds(),
	}
	for _, t := range tests {
		testcase := reporters.JUnitTestCase{Name: t.name, Classname: pkg, Time: t.seconds}
		switch t.action {
		case "fail":
			suite.Failures++
			testcase.Failure = &reporters.JUnitFailure{Message: "Failed", Description: t.note}
		case "skip":
			suite.Skipped++
			testcase.Skipped = &reporters.JUnitSkipped{Message: t.note}
		}
		suite.TestCases = append(suite.TestCases, testcase)
	}
	data, err := xml.MarshalIndent(reporters.JUnitTestSuites{
		Tests: suite.Tests, Disabled: suite.Skipped, Failures: suite.Failures, Time: suite.Time, TestSuites: []reporters.JUnitTestSuite{suite},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", JUnitFile, err)
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}

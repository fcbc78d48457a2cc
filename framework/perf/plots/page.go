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

package plots

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/perf"
)

//go:embed page.html
var pageText string

// metricsThatGrow are plotted for workloads with sizes.
var metricsThatGrow = []perf.Metric{perf.SchedulerCPU, perf.ControllersCPU, perf.APIServerCPU, perf.Writes, perf.PodsPerSecond, perf.SchedulerMemory} //nolint:gochecknoglobals // a table

// section is a workload with all of its sizes.
type section struct {
	Name  string
	Plots []template.HTML
}

type page struct {
	perf.Record
	Ratios   template.HTML
	Growth   template.HTML
	Sections []section
	Trends   []template.HTML
	Records  []perf.Record
}

// Page writes a page about the newest record and the trend over all records. Records are sorted from
// oldest to newest.
func Page(out io.Writer, records []perf.Record) error {
	if len(records) == 0 {
		return errors.New("draw results: there are none")
	}
	newest := records[len(records)-1]
	p := page{Record: newest, Records: records}
	var err error
	if p.Ratios, err = findings(newest, true, "candidate / reference"); err != nil {
		return err
	}
	if p.Growth, err = findings(newest, false, "exponent of the growth"); err != nil {
		return err
	}
	for _, w := range newest.Workloads {
		s, err := sectionOf(newest, w)
		if err != nil {
			return fmt.Errorf("draw workload %s: %w", w.Name, err)
		}
		p.Sections = append(p.Sections, s)
	}
	for _, threshold := range perf.Judged(records) {
		drawn, err := trend(records, threshold)
		if err != nil {
			return fmt.Errorf("draw the trend of %s: %w", threshold.Workload, err)
		}
		if drawn != "" {
			p.Trends = append(p.Trends, drawn)
		}
	}
	t, err := template.New("page").Funcs(template.FuncMap{"style": func() template.CSS { return chart.Style }, "name": perf.NameAt, "commit": Commit, "number": func(i int) int { return i + 1 }}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("draw results: %w", err)
	}
	if err := t.Execute(out, p); err != nil {
		return fmt.Errorf("draw results: %w", err)
	}
	return nil
}

func sectionOf(r perf.Record, w perf.Workload) (section, error) {
	s := section{Name: w.Name}
	add := func(drawn template.HTML, err error) error {
		if drawn != "" {
			s.Plots = append(s.Plots, drawn)
		}
		return err
	}
	if w.Grows == nil {
		return s, add(latency(r, w, 0))
	}
	for _, m := range metricsThatGrow {
		if err := add(growth(r, w, m)); err != nil {
			return s, err
		}
	}
	return s, add(latency(r, w, w.Grows.Sizes[len(w.Grows.Sizes)-1]))
}

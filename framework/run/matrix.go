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

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Stacks parses the stacks of a matrix, at least two: each as for ParseStack, with a plus in place of the comma.
// Omitted components are stock.
func Stacks(texts []string) ([]clusters.Stack, error) {
	var all []clusters.Stack
	seen := map[string]string{}
	for _, text := range texts {
		stack, err := clusters.ParseStack(strings.ReplaceAll(text, "+", ","))
		if err != nil {
			return nil, fmt.Errorf("matrix: %w", err)
		}
		name := StackName(stack)
		if before, twice := seen[name]; twice {
			return nil, fmt.Errorf("matrix: %s and %s are the same: name each stack once", before, text)
		}
		seen[name] = text
		all = append(all, stack)
	}
	if len(all) < 2 {
		return nil, errors.New("matrix: name at least two stacks, as in stock,own")
	}
	return all, nil
}

// StackName is the notation of a stack in a matrix.
func StackName(s clusters.Stack) string {
	return strings.ReplaceAll(s.Over(clusters.AllStock()).String(), ",", "+")
}

// Column is one run of a matrix.
type Column struct {
	// Stack is the name of its stack, Name that of the column, with the number of the run if there are several.
	Stack string
	Name  string
	// Report and Err are those of Run; Err may also be why there was no run.
	Report schema.Report
	Err    error

	conformance schema.ConformanceReport
}

// Matrix runs the cases n times on each stack, whatever their results, and writes them side by side. One cluster is
// switched between the stacks; if its provider cannot switch, there is one cluster after the other. Each run has its
// report in the directory of its stack, several runs in its run-1, run-2 and so on. An error concerns the matrix as a
// whole; if ctx ends there are fewer columns.
func Matrix(ctx context.Context, parts Parts, o Options, stacks []clusters.Stack, n int) (columns []Column, err error) {
	o = o.withDefaults(time.Now())
	for _, stack := range stacks {
		o.Cluster.Stack = stack
		if err := o.Validate(); err != nil {
			return nil, err
		}
	}
	if _, err := selected(parts, o.Filter); err != nil {
		return nil, err
	}
	unlock, err := reports.Lock(o.ReportDir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := cleanMatrix(o.ReportDir); err != nil {
		return nil, err
	}
	g := &environment{parts: parts, options: o}
	defer func() { err = errors.Join(err, g.close(ctx)) }()
	for i, stack := range stacks {
		if i > 0 && ctx.Err() != nil {
			break
		}
		columns = append(columns, g.columns(ctx, stack, n)...)
		if i == 0 && g.testbed == nil {
			return nil, columns[0].Err // without a cluster the others would only say so again
		}
	}
	if err := writeMatrix(o.ReportDir, columns); err != nil {
		return columns, err
	}
	console.Matrix(o.Out, sidesOf(columns))
	_, _ = fmt.Fprintf(o.Out, "matrix: %s\n", filepath.Join(o.ReportDir, matrix.MarkdownFile))
	return columns, ctx.Err()
}

// environment is the cluster for the stacks of a matrix, one after the other.
type environment struct {
	parts   Parts
	options Options
	testbed *testbed.Testbed
}

// columns are the runs on one stack.
func (g *environment) columns(ctx context.Context, stack clusters.Stack, n int) []Column {
	name := StackName(stack)
	_, _ = fmt.Fprintf(g.options.Out, "\n== stack %s\n", name)
	each, err := g.take(ctx, stack)
	if err != nil {
		return []Column{{Stack: name, Name: name, Err: err}}
	}
	var columns []Column
	for number := 1; number <= n && ctx.Err() == nil; number++ {
		c := Column{Stack: name, Name: name}
		each.ReportDir = filepath.Join(g.options.ReportDir, stackFolder(stack))
		if n > 1 {
			c.Name = fmt.Sprintf("%s, run %d", name, number)
			each.ReportDir = filepath.Join(each.ReportDir, fmt.Sprintf("run-%d", number))
			_, _ = fmt.Fprintf(g.options.Out, "\n== stack %s, run %d of %d\n", name, number, n)
		}
		c.Report, c.Err = Run(ctx, g.parts, each)
		if c.Report.SchemaVersion != "" {
			var err error
			c.conformance, err = reports.ReadConformance(each.ReportDir)
			c.Err = errors.Join(c.Err, err)
		}
		columns = append(columns, c)
		each.Seed++
	}
	return columns
}

// take provides a cluster with the components of a stack, and returns the options for runs on it.
func (g *environment) take(ctx context.Context, stack clusters.Stack) (Options, error) {
	switcher, ok := g.parts.Clusters.(clusters.Switcher)
	if ok = ok && g.options.Cluster.Provider != clusters.ProviderControlPlane; !ok || g.testbed == nil {
		return g.open(ctx, stack)
	}
	for _, to := range switches(stack) {
		if _, err := switcher.Switch(ctx, g.testbed.Cluster, to); err != nil {
			return Options{}, fmt.Errorf("switch the cluster to %s: %w", StackName(stack), err)
		}
	}
	each := g.options.On(g.testbed)
	each.Made.Stack = stack.Over(clusters.AllStock())
	return each, nil
}

func (g *environment) open(ctx context.Context, stack clusters.Stack) (Options, error) {
	if err := g.close(ctx); err != nil {
		return Options{}, err
	}
	g.options.Cluster.Stack = stack
	b, err := testbed.Open(ctx, g.parts.Parts, g.options.Config)
	if err != nil {
		return Options{}, errors.Join(err, b.Close(ctx, nil))
	}
	g.testbed = b
	return g.options.On(b), nil
}

func (g *environment) close(ctx context.Context) error {
	if g.testbed == nil {
		return nil
	}
	err := g.testbed.Close(ctx, nil)
	g.testbed = nil
	return err
}

// switches switch a cluster from any stack to another: otherwise kubelets not named would stay unchanged.
func switches(to clusters.Stack) []clusters.Stack {
	to = to.Over(clusters.AllStock())
	if len(to.KubeletNodes) == 0 {
		return []clusters.Stack{to}
	}
	return []clusters.Stack{clusters.AllStock(), to}
}

// stackFolder is the directory of a stack.
func stackFolder(s clusters.Stack) string { return matrix.Folder(StackName(s)) }

func isStackFolder(name string) bool {
	stack, err := clusters.ParseStack(strings.NewReplacer("@", ":", "+", ",").Replace(name))
	return err == nil && stackFolder(stack) == name
}

// cleanMatrix removes the reports of earlier runs: single, repeated, or of other matrices, since all reports in dir
// are taken for one matrix.
func cleanMatrix(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for the reports of an earlier matrix: %w", err)
	}
	errs := []error{cleanRepeated(dir)}
	for _, e := range entries {
		if folder := filepath.Join(dir, e.Name()); e.IsDir() && isStackFolder(e.Name()) {
			errs = append(errs, cleanRepeated(folder))
			_ = os.Remove(folder) // stays where somebody else has put something there
		}
	}
	return errors.Join(errs...)
}

// writeMatrix writes the results of all runs; a run without a report has an empty column.
func writeMatrix(dir string, columns []Column) error {
	var found []schema.ConformanceReport
	for _, c := range columns {
		found = append(found, c.conformance)
	}
	table := matrix.New(found)
	for i, c := range columns {
		table.Columns[i] = strings.TrimSpace(c.conformance.Cluster.Kubernetes + " " + c.Name)
	}
	return matrix.Write(dir, table)
}

// sidesOf returns the printed results of a matrix: cases with different results on some stacks or runs, and the result
// of each run.
func sidesOf(columns []Column) (sides console.Sides) {
	var found []schema.ConformanceReport
	var names []string
	for _, c := range columns {
		sides.Sides = append(sides.Sides, console.Side{Name: c.Name, Report: c.Report, Err: c.Err})
		if c.Report.SchemaVersion != "" {
			found, names = append(found, c.conformance), append(names, c.Stack)
		}
	}
	for _, row := range matrix.Differing(found) {
		d := console.Difference{Case: row.Name}
		for _, stack := range slices.Compact(slices.Clone(names)) {
			var came []string
			for i, cell := range row.Cells {
				if names[i] == stack {
					came = append(came, cell)
				}
			}
			d.Came = append(d.Came, stack+": "+strings.Join(counted(came), ", "))
		}
		sides.Differences = append(sides.Differences, d)
	}
	return sides
}

// counted returns the distinct words of a list, with counts if there are several.
func counted(all []string) []string {
	var words []string
	times := map[string]int{}
	for _, word := range all {
		word = upper.ReplaceAllStringFunc(word, func(letter string) string { return " " + strings.ToLower(letter) })
		if times[word]++; times[word] == 1 {
			words = append(words, word)
		}
	}
	if len(words) == 1 {
		return words
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%d of %d %s", times[word], len(all), word)
	}
	return words
}

// upper matches the word boundaries of a camel case name, as knownIssue.
var upper = regexp.MustCompile("[A-Z]")

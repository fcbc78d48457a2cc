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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// versionRange are the versions that "1.34..1.36", "1.34,1.37" or a mixture names, in that
// order, each once.
func versionRange(text string) ([]versions.Version, error) {
	var found []versions.Version
	add := func(v versions.Version) {
		if !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "..")
		from, err := versions.Lookup(first)
		if err != nil {
			return nil, fmt.Errorf("--versions: %w", err)
		}
		if !isRange {
			add(from)
			continue
		}
		to, err := versions.Lookup(last)
		if err != nil {
			return nil, fmt.Errorf("--versions: %w", err)
		}
		all := versions.All()
		slices.Reverse(all) // oldest first
		i, j := slices.Index(all, from), slices.Index(all, to)
		if i > j {
			return nil, fmt.Errorf("--versions: %s is newer than %s: name the older one first", first, last)
		}
		for _, v := range all[i : j+1] {
			add(v)
		}
	}
	return found, nil
}

// certifyVersions certifies a driver in a cluster of each version, one after the other.
func certifyVersions(ctx context.Context, out io.Writer, f certifyFlags) error {
	all, err := versionRange(f.versions)
	if err != nil {
		return withCode(codeUsage, err)
	}
	if f.kubeconfig != "" || f.context != "" || f.dryRun {
		return withCode(codeUsage, errors.New("--versions makes clusters of its own: leave --kubeconfig, --context and --dry-run out"))
	}
	d, err := readDeclaration(f.file)
	if err != nil {
		return err
	}
	if d.Hooks.Install.IsZero() {
		return withCode(codeUsage, fmt.Errorf("%s: hooks.install is missing: --versions makes clusters without your driver", f.file))
	}
	name, dir := f.cluster, reports.Dir(f.ReportDir)
	if name == "" {
		name = "certify"
	}
	f.install, f.Disruptive = true, true // nobody else uses those clusters
	return overVersions(out, dir, all, func(v versions.Version, reportDir string) (j schema.Certificate, err error) {
		g := f
		g.ReportDir = reportDir
		p := providers.NewClusters(progress.New(out))
		made, err := p.Create(ctx, clusters.Config{Name: name + "-" + strings.ReplaceAll(v.Minor(), ".", "-"), Version: v.Kubernetes, Temporary: true})
		if err != nil {
			return j, fmt.Errorf("make a cluster of %s: %w", v.Kubernetes, err)
		}
		defer func() { err = errors.Join(err, p.Delete(context.WithoutCancel(ctx), made.Name)) }()
		g.cluster, g.Kubeconfig = made.Name, made.Kubeconfig
		return certifyIn(ctx, out, g, d)
	})
}

// overVersions does something for one version after the other, also after one that went
// wrong, writes what all came to side by side, and returns the worst of it.
func overVersions(out io.Writer, dir string, all []versions.Version, one func(v versions.Version, dir string) (schema.Certificate, error)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the report directory: %w", err)
	}
	var found []schema.ConformanceReport
	verdicts := matrix.Row{Name: "certificate"}
	var lines []string
	var errs []error
	for _, v := range all {
		_, _ = fmt.Fprintf(out, "\n== Kubernetes %s\n", v.Kubernetes)
		j, err := one(v, filepath.Join(dir, v.Kubernetes))
		verdict := string(j.Verdict)
		if verdict == "" {
			verdict = "no verdict"
		}
		line := v.Kubernetes + ": " + verdict
		if err = certifyError(j, err); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.Kubernetes, err))
			line += ": " + firstLine(err.Error())
		}
		lines = append(lines, line)
		// Without a report there is no column, and the line above says why.
		if r, err := readConformance([]string{filepath.Join(dir, v.Kubernetes)}); err == nil {
			found = append(found, r...)
			verdicts.Cells = append(verdicts.Cells, verdict)
		}
	}
	if len(found) > 0 {
		table := matrix.New(found)
		table.Profiles = append([]matrix.Row{verdicts}, table.Profiles...)
		if err := matrix.Write(dir, table); err != nil {
			errs = append(errs, err)
		}
		_, _ = fmt.Fprintf(out, "\nmatrix: %s\n", filepath.Join(dir, matrix.MarkdownFile))
	}
	_, _ = fmt.Fprintf(out, "%s\n", strings.Join(lines, "\n"))
	return worst(errs)
}

// worst has the exit code that weighs most: a driver that failed is that, whatever could not
// be said of it elsewhere.
func worst(errs []error) error {
	for _, code := range []int{codeCasesFailed, codeUsage, codeEnvironment, codeIncomplete} {
		if slices.ContainsFunc(errs, func(err error) bool { return exitCode(err) == code }) {
			return withCode(code, errors.Join(errs...))
		}
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

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

package certify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// VersionRange parses "1.34..1.36", "1.34,1.37" or a mixture into versions, in that order, each once. A range has the
// listed version of each minor version between its ends.
func VersionRange(text string, find func(string) (versions.Version, error)) ([]versions.Version, error) {
	var found []versions.Version
	add := func(v versions.Version) {
		if !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if strings.HasPrefix(last, "/") && (first == "" || strings.Contains(first, "/")) { // a directory
			first, last, isRange = strings.TrimSpace(part), "", false
		}
		if first == "" || isRange && last == "" { // Otherwise, the newest version.
			return nil, clusters.Usage(fmt.Errorf("--versions: a version is missing in %q", text))
		}
		from, err := find(first)
		if err != nil {
			return nil, fmt.Errorf("--versions: %w", err)
		}
		if !isRange {
			add(from)
			continue
		}
		to, err := find(last)
		if err != nil {
			return nil, fmt.Errorf("--versions: %w", err)
		}
		if from.Compare(to) > 0 {
			return nil, clusters.Usage(fmt.Errorf("--versions: %s is newer than %s: name the older one first", first, last))
		}
		add(from)
		for _, v := range slices.Backward(versions.All()) { // oldest first
			// A minor version at an end is represented by the end.
			if semver.Compare(v.Minor(), from.Minor()) > 0 && semver.Compare(v.Minor(), to.Minor()) < 0 {
				add(v)
			}
		}
		add(to)
	}
	return found, nil
}

// OnVersion certifies a driver in a new cluster of a version, named with the prefix o.Cluster.
func OnVersion(ctx context.Context, parts run.Parts, o Options, v versions.Version) (c schema.Certificate, err error) {
	name := o.Cluster + "-" + strings.ReplaceAll(v.Minor(), ".", "-")
	made, err := parts.Clusters.Create(ctx, clusters.Config{Name: name, Version: v.Kubernetes, Temporary: true})
	if err != nil {
		return c, fmt.Errorf("make a cluster of %s: %w", v.Kubernetes, err)
	}
	defer func() { err = errors.Join(err, parts.Clusters.Delete(context.WithoutCancel(ctx), made.Name)) }()
	o.Cluster, o.Run.Kubeconfig = made.Name, made.Kubeconfig
	o.Install, o.Run.Disruptive = true, true // nobody else uses the cluster
	return Run(ctx, parts, o)
}

// VersionResult is the result of a certification on a version.
type VersionResult struct {
	Version     versions.Version
	Certificate schema.Certificate
	Err         error
}

// Verdict is the certificate's verdict in words.
func (r VersionResult) Verdict() string {
	if r.Certificate.Verdict == "" {
		return "no verdict"
	}
	return string(r.Certificate.Verdict)
}

// EachVersion calls a function for each version, continuing after failures, and writes all results side by side.
func EachVersion(out io.Writer, dir string, all []versions.Version, one func(v versions.Version, dir string) (schema.Certificate, error)) ([]VersionResult, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report directory: %w", err)
	}
	var results []VersionResult
	var found []schema.ConformanceReport
	verdicts := matrix.Row{Name: "certificate"}
	for _, v := range all {
		_, _ = fmt.Fprintf(out, "\n== Kubernetes %s\n", v.Kubernetes)
		r := VersionResult{Version: v}
		r.Certificate, r.Err = one(v, filepath.Join(dir, v.Kubernetes))
		results = append(results, r)
		// Without a report there is no column.
		if report, err := reports.ReadConformance(filepath.Join(dir, v.Kubernetes)); err == nil {
			found, verdicts.Cells = append(found, report), append(verdicts.Cells, r.Verdict())
		}
	}
	if len(found) == 0 {
		return results, nil
	}
	table := matrix.New(found)
	table.Profiles = append([]matrix.Row{verdicts}, table.Profiles...)
	_, _ = fmt.Fprintf(out, "\nmatrix: %s\n", filepath.Join(dir, matrix.MarkdownFile))
	return results, matrix.Write(dir, table)
}

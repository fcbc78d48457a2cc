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
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// On returns the options for runs on a testbed that outlives them. In a cluster made by the testbed, cases may
// restart components and nodes.
func (o Options) On(b *testbed.Testbed) Options {
	o.Kubeconfig, o.Context, o.InCluster = b.Kubeconfig, b.Context, b.Kubeconfig == ""
	o.Made = b.Made()
	made := b.Provider != testbed.Existing
	o.Disruptive, o.RestartNodes = o.Disruptive || made, o.RestartNodes || made
	o.Cluster = clusters.Config{}
	return o
}

// Repeat runs the cases n times on one cluster and stops after the first run that does not pass, to find flaky cases.
// The reports are in run-1, run-2 and so on of the report directory; it returns the last one and its number. Errors
// are Run's.
func Repeat(ctx context.Context, parts Parts, o Options, n int) (last schema.Report, number int, err error) {
	o = o.withDefaults(time.Now())
	if err := o.Validate(); err != nil {
		return last, 0, err
	}
	if _, err := selected(parts, o.Filter); err != nil {
		return last, 0, err
	}
	unlock, err := reports.Lock(o.ReportDir)
	if err != nil {
		return last, 0, err
	}
	defer unlock()
	if err := cleanRepeated(o.ReportDir); err != nil {
		return last, 0, err
	}
	b, err := testbed.Open(ctx, parts.Parts, o.Config)
	defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
	if err != nil {
		return last, 0, err
	}
	each := o.On(b)
	for number = 1; number <= n; number++ {
		_, _ = fmt.Fprintf(o.Out, "\n== run %d of %d\n", number, n)
		each.ReportDir = filepath.Join(o.ReportDir, fmt.Sprintf("run-%d", number))
		last, err = Run(ctx, parts, each)
		if err != nil || last.Summary.Verdict != schema.Passed {
			return last, number, err
		}
		each.Seed++
	}
	return last, n, nil
}

// cleanRepeated removes the reports of earlier runs, single or repeated.
func cleanRepeated(dir string) error {
	earlier, err := filepath.Glob(filepath.Join(dir, "run-[0-9]*"))
	if err != nil {
		return err
	}
	for _, path := range earlier {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove the report of an earlier run: %w", err)
		}
	}
	return Clean(dir)
}

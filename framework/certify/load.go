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
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Load configures the optional profile load. The zero value skips it.
type Load struct {
	Duration time.Duration
	// Run puts the driver under load, and writes the results into the report directory of the options.
	Run func(ctx context.Context, o run.Options, duration time.Duration) (schema.Load, error)
}

// loadSummary is a file in the results of a load.
const loadSummary = "soak.json"

// withoutLoad removes the results of an earlier load.
func withoutLoad(dir string) error {
	folder := filepath.Join(dir, reports.LoadFolder)
	if _, err := os.Stat(filepath.Join(folder, loadSummary)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove the results of an earlier load: %w", err)
	}
	return nil
}

// load puts the driver under load, if requested, and returns the result. An error makes the result incomplete.
func (o Options) load(ctx context.Context) *schema.Load {
	if o.Load.Run == nil {
		return nil
	}
	_, _ = fmt.Fprintf(o.Run.Out, "\nprofile %s: %s under load\n", spec.ProfileLoad, o.Load.Duration)
	under := o.Run
	under.ReportDir = filepath.Join(o.Run.ReportDir, reports.LoadFolder)
	result, err := o.Load.Run(ctx, under, o.Load.Duration)
	if err != nil {
		result.Missing = append(result.Missing, spec.Printable(err.Error()))
	}
	return &result
}

// judgeLoad adds the result of a requested load.
func (f facts) judgeLoad(j *schema.Judgement) {
	l := f.seen.Load
	if l == nil {
		return
	}
	for _, failure := range l.Failures {
		j.Failures = append(j.Failures, "under load: "+failure)
	}
	if len(l.Missing) > 0 {
		j.Missing = append(j.Missing, "under load: "+strings.Join(l.Missing, "; "))
	}
	j.Profiles[spec.ProfileLoad] = schema.DriverCertified
	switch {
	case len(l.Failures) > 0:
		j.Profiles[spec.ProfileLoad] = schema.DriverNotCertified
	case len(l.Missing) > 0:
		j.Profiles[spec.ProfileLoad] = schema.DriverIncomplete
	}
}

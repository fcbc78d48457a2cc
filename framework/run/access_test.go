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

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed/access"
	"github.com/dra-conformance/dratest/reports"
)

func TestRunSaysWhatItMayNotBeforeItStarts(t *testing.T) {
	kubeconfig, _ := apiServerThat(t, false)
	o, _ := options(t, kubeconfig, "^fake/passes")
	_, err := run.Run(t.Context(), parts(), o)
	var missing access.MissingError
	if !errors.As(err, &missing) || len(missing.Rights) != len(access.Of(access.Rules(false))) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(o.ReportDir, reports.JSONFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a report of a run that did not start: %v", err)
	}
}

// A dry run passed where the run then had no rights.
func TestDryRunNamesMissingRights(t *testing.T) {
	kubeconfig, _ := apiServerThat(t, false)
	o, _ := options(t, kubeconfig, "^fake/passes")
	var missing access.MissingError
	if _, err := run.DryRun(t.Context(), parts(), o); !errors.As(err, &missing) || len(missing.Rights) == 0 {
		t.Errorf("got %v", err)
	}
}

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
	"time"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// fetchFlags are the flags of "dratest report fetch".
type fetchFlags struct {
	kubeconfig, context, namespace string
	timeout                        time.Duration
}

func newFetchCommand() *cobra.Command {
	var f fetchFlags
	cmd := &cobra.Command{
		Use:   "fetch [DIRECTORY]",
		Short: "Download the report of a run in a cluster",
		Long: `Wait for the Job of "dratest manifests" to finish and download its report into a
directory (default: $ARTIFACTS or ./_artifacts), replacing an earlier report. The
output of the run is in run.log.

The Job's pod keeps the results until all of them have been downloaded; if a
download fails, run the command again. The exit code is that of the download:
"dratest report DIRECTORY" returns the exit code of the run, and "dratest report
verify DIRECTORY" checks the files.`,
		Example: `  dratest report fetch results --kubeconfig ~/.kube/config && dratest report verify results && dratest report results`,
		Args:    cobra.MaximumNArgs(1),
		// Do not leave a partially unpacked archive behind on a signal.
		PersistentPreRun: func(*cobra.Command, []string) {},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.kubeconfig == "" {
				return withCode(codeUsage, errors.New("kubeconfig: must be given: in which cluster the run is"))
			}
			return fetch(cmd.Context(), cmd.OutOrStdout(), reports.Dir(append(args, "")[0]), f)
		},
	}
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	cmd.Flags().StringVar(&f.context, "context", "", "kubeconfig context (default: current-context)")
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", job.Name, "namespace of the Job")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 2*time.Hour, "time limit for the run to finish")
	return cmd
}

func fetch(ctx context.Context, out io.Writer, dir string, f fetchFlags) error {
	config, err := testbed.ClientConfig(f.kubeconfig, f.context)
	if err != nil {
		return withCode(codeUsage, err)
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	fetched, err := job.Fetch(ctx, config, f.namespace, dir, removeResults, func(line string) { _, _ = fmt.Fprintf(out, "  .. %s\n", spec.Printable(line)) })
	if inUse(err) {
		return withCode(codeUsage, err)
	}
	if err != nil {
		return err
	}
	if !hasReport(dir) {
		return fmt.Errorf("the run in pod %s/%s has ended with exit code %d and without a report: %s says why", f.namespace, fetched.Pod, fetched.ExitCode, filepath.Join(dir, job.OutputFile))
	}
	_, err = fmt.Fprintf(out, "%s has what pod %s/%s has left; its run ended with exit code %d\n", dir, f.namespace, fetched.Pod, fetched.ExitCode)
	return err
}

// removeResults removes the results of an earlier run or soak from a directory.
func removeResults(dir string) error { return errors.Join(run.Clean(dir), soak.Clean(dir, nil)) }

// hasReport reports whether a directory has the report of a run or the summary of a soak.
func hasReport(dir string) bool {
	return slices.ContainsFunc([]string{reports.JSONFile, soak.SummaryFile}, func(file string) bool {
		_, err := os.Stat(filepath.Join(dir, file))
		return err == nil
	})
}

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
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

func newReportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report [DIRECTORY]",
		Short: "Print, verify, compare and export reports",
		Long: `Print the report in a directory (default: $ARTIFACTS or ./_artifacts). The exit code
is that of the run.`,
		Args: cobra.MaximumNArgs(1),
		// Reading a report needs no cleanup: let signals kill the process.
		PersistentPreRun: func(*cobra.Command, []string) { signal.Reset(os.Interrupt, syscall.SIGTERM) },
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := reports.Dir(append(args, "")[0])
			r, err := reports.Read(dir)
			if err != nil {
				return missing(dir, reports.JSONFile, err)
			}
			rendered, err := render(dir, r, format)
			if err != nil {
				return err
			}
			if _, err := cmd.OutOrStdout().Write(rendered); err != nil {
				return err
			}
			return verdictError(r)
		},
	}
	cmd.AddCommand(newBadgeCommand(), newDiffCommand(), newExportCommand(), newFetchCommand(), newHistoryCommand(), newKeygenCommand(), newMatrixCommand(), newPublishCommand(), newSignCommand(), newTableCommand(), newVerifyCommand())
	cmd.Flags().StringVarP(&format, "output", "o", "markdown", formatNames())
	return cmd
}

func render(dir string, r schema.Report, format string) ([]byte, error) {
	for _, f := range reports.Formats() {
		if f.Name == format {
			opened, err := files.Open(dir)
			if err != nil {
				return nil, fmt.Errorf("open the report directory: %w", err)
			}
			defer func() { _ = opened.Close() }()
			return f.Render(r, opened)
		}
	}
	return nil, withCode(codeUsage, fmt.Errorf("output %q is unknown: use %s", format, formatNames()))
}

// formatNames lists the formats, as "a, b or c".
func formatNames() string {
	var names []string
	for _, f := range reports.Formats() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

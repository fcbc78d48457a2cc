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
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/perf/plots"
)

// perfPage is the file of the plots.
const perfPage = "perf.html"

func newPerfCompareCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare the results of two runs",
		Long: `Compare the results of two runs: all values with a threshold in the new one, except
exponents. A value is better or worse if a Mann-Whitney U test is significant (95 %
over all comparisons) and its median changed by more than 5 %. Ratios are comparable
across machines.

Exit codes: 0 nothing is worse; 1 a value is worse; 2 unreadable results; 4 nothing
to compare.`,
		Args: usage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return withCode(codeUsage, fmt.Errorf("output %q is unknown: use text or json", format))
			}
			old, err := perf.ReadRecord(args[0])
			if err != nil {
				return withCode(codeUsage, err)
			}
			fresh, err := perf.ReadRecord(args[1])
			if err != nil {
				return withCode(codeUsage, err)
			}
			return printComparison(cmd.OutOrStdout(), perf.Compare(old, fresh), format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "output format: text or json")
	return cmd
}

func printComparison(out io.Writer, c perf.Comparison, format string) error {
	if format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(c); err != nil {
			return fmt.Errorf("encode the comparison: %w", err)
		}
	} else {
		c.Print(out)
	}
	switch worse := c.Worse(); {
	case len(worse) > 0:
		return withCode(codeCasesFailed, fmt.Errorf("%d of %d values are worse than before", len(worse), len(c.Changes)))
	case len(c.Changes) == 0:
		return withCode(codeIncomplete, errors.New("nothing could be compared"))
	default:
		return nil
	}
}

func newPerfHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history DIRECTORY",
		Short: "Show the results of many runs over time",
		Long: `Read the results of all runs below DIRECTORY, print a line per threshold and run, and
plot their trend and the newest run in DIRECTORY/` + perfPage + `.`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			records, err := perf.ReadRecords(args[0])
			if err != nil {
				return withCode(codeUsage, err)
			}
			perf.PrintHistory(cmd.OutOrStdout(), records, plots.Commit)
			path := filepath.Join(args[0], perfPage)
			if err := writePerfPage(path, records); err != nil {
				return withCode(codeEnvironment, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\nplots: %s\n", path)
			return nil
		},
	}
}

// writePerfPage plots records, sorted from oldest to newest.
func writePerfPage(path string, records []perf.Record) error {
	var page bytes.Buffer
	if err := plots.Page(&page, records); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write plots: %w", err)
	}
	return nil
}

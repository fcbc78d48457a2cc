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
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

func newDiffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two reports",
		Long: `Compare the conformance reports in two directories: cases with another outcome, new
and missing cases, slower cases (each attempt takes more than twice as long, and
more than 10 s longer, than any before), and changes of the tested software.

Exit codes: 0 no case is worse; 1 a case is worse or slower; 2 unreadable report.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return withCode(codeUsage, fmt.Errorf("output %q is unknown: use text or json", format))
			}
			both, err := readConformance(args)
			if err != nil {
				return err
			}
			d, err := diff.Compare(both[0], both[1])
			if err != nil {
				return err
			}
			data := []byte(diff.Text(d))
			if format == "json" {
				if data, err = json.MarshalIndent(d, "", "  "); err != nil {
					return fmt.Errorf("encode differences: %w", err)
				}
				data = append(data, '\n')
			}
			if _, err := cmd.OutOrStdout().Write(data); err != nil {
				return err
			}
			if d.Worse {
				return withCode(codeCasesFailed, errors.New("the second report is worse than the first"))
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "output format: text or json")
	return cmd
}

func newMatrixCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "matrix DIRECTORY...",
		Short: "Show reports side by side, by version, stack or driver",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := readConformance(args)
			if err != nil {
				return err
			}
			table := matrix.New(all)
			var data []byte
			switch format {
			case "markdown":
				data = matrix.Markdown(table)
			case "html":
				data, err = matrix.HTML(table)
			default:
				err = withCode(codeUsage, fmt.Errorf("output %q is unknown: use markdown or html", format))
			}
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "markdown", "output format: markdown or html")
	return cmd
}

// readConformance reads the conformance reports in directories.
func readConformance(dirs []string) ([]schema.ConformanceReport, error) {
	var all []schema.ConformanceReport
	for _, dir := range dirs {
		c, err := reports.ReadConformance(dir)
		if err != nil {
			return nil, missing(dir, reports.ConformanceFile, err)
		}
		all = append(all, c)
	}
	return all, nil
}

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
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/history"
)

func newHistoryCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "history DIRECTORY...",
		Short: "Show pass rates, flakes and changed durations over many runs",
		Long: `Read all conformance reports in and below directories. For each case: pass rate,
first failure, targets with different results (flakes), and changed durations (each
later attempt takes more than twice as long, and more than 10 s longer, than any
before; or the reverse). A target is a Kubernetes version with its provider, stack,
driver, suite and mode.

The table omits cases with nothing to report. HTML and JSON include all cases.`,
		Example: `  dratest report history results/ -o html > history.html`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := reportsBelow(args)
			if err != nil {
				return err
			}
			h := history.New(found, renamed(parts().Cases))
			data := []byte(history.Text(h))
			switch format {
			case "text":
			case "html":
				data, err = history.HTML(h)
			case "json":
				data, err = history.JSON(h)
			default:
				err = withCode(codeUsage, fmt.Errorf("output %q is unknown: use text, html or json", format))
			}
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "output format: text, html or json")
	return cmd
}

// reportsBelow reads all conformance reports below directories.
func reportsBelow(dirs []string) (found []history.Report, err error) {
	seen := map[string]bool{}
	for _, top := range dirs {
		n := len(seen)
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			dir := filepath.Dir(path)
			if err != nil || d.IsDir() || d.Name() != reports.ConformanceFile || seen[dir] {
				return err
			}
			seen[dir] = true
			c, err := reports.ReadConformance(dir)
			if err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			found = append(found, history.Report{Dir: dir, ConformanceReport: c})
			return nil
		})
		if err == nil && len(seen) == n {
			err = fs.ErrNotExist
		}
		if err != nil {
			return nil, missing(top, reports.ConformanceFile, err)
		}
	}
	return found, nil
}

// renamed maps former case IDs to current ones.
func renamed(cases []harness.Case) map[string]string {
	ids := map[string]string{}
	for _, c := range cases {
		for _, alias := range c.Aliases {
			ids[alias] = c.ID
		}
	}
	return ids
}

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
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/results"
)

func newPublishCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "publish DIRECTORY REPOSITORY",
		Short: "Copy a verified report into a repository of results",
		Long: `Verify the report or certificate in a directory, and copy its sealed files and
signatures into a repository of results, to
results/PRODUCT/VERSION/KUBERNETES/DIGEST. Then write the table of all reports,
results/README.md. Product and version are --project and --project-version of the
run, or those of driver.yaml. Of run --matrix and --repeat, all reports are copied.

Reports without a judged profile are rejected. Files of a report are public: they
have names, addresses and logs of the cluster.

Exit codes: 0 published, now or before; 1 the report is invalid; 2 it cannot be
published.`,
		Example: `  dratest report publish _artifacts ../results`,
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return publish(cmd, args[0], args[1]) },
	}
}

// publish copies all reports of a directory and writes the table.
func publish(cmd *cobra.Command, dir, repo string) error {
	folders, reasons, err := side(dir)
	if err != nil {
		return err
	}
	if len(reasons) > 0 {
		return withCode(codeCasesFailed, errors.New(spec.Printable(reasons[0])))
	}
	for _, folder := range folders {
		from := filepath.Join(dir, folder)
		if _, _, err := verified(cmd, from, signers{}); err != nil {
			return err
		}
		opened, err := files.Open(from)
		if err != nil {
			return err
		}
		to, err := results.Publish(opened, repo)
		if err := errors.Join(err, opened.Close()); err != nil {
			return withCode(codeUsage, fmt.Errorf("%s: %w", from, err))
		}
		if _, _, err := verified(cmd, filepath.Join(repo, filepath.FromSlash(to)), signers{}); err != nil {
			return err // it was published before, and changed since
		}
		_, _ = fmt.Fprintln(cmd.OutOrStdout(), to)
	}
	all, err := publishedIn(cmd, repo)
	if err != nil {
		return err
	}
	return results.WriteTable(repo, results.Markdown(all))
}

func newTableCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "table REPOSITORY",
		Short: "Print the table of a repository of results",
		Long: `Print the reports in a repository of results as a table in Markdown: product, version,
Kubernetes, profile, verdict and date, with links.

With --check, verify the repository instead, as in a pull request: each report is
valid and in the right directory, nothing else is there, and results/README.md is the
table. Exit codes: 0 valid; 1 invalid, with a line per reason.`,
		Example: `  dratest report table ../results --check`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := publishedIn(cmd, args[0])
			if err != nil {
				return err
			}
			table := results.Markdown(all)
			if check {
				return checkResults(cmd, args[0], all, table)
			}
			_, err = cmd.OutOrStdout().Write(table)
			return err
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "verify all reports, their directories and results/README.md")
	return cmd
}

// publishedIn returns the reports of a repository, and prints what does not belong there.
func publishedIn(cmd *cobra.Command, repo string) ([]results.Result, error) {
	opened, err := files.Open(repo)
	if err != nil {
		return nil, withCode(codeUsage, fmt.Errorf("open the repository: %w", err))
	}
	defer func() { _ = opened.Close() }()
	all, reasons, err := results.Read(opened)
	if err != nil {
		return nil, withCode(codeUsage, err)
	}
	for _, reason := range reasons {
		_, _ = fmt.Fprintln(cmd.OutOrStdout(), spec.Printable(reason))
	}
	if len(reasons) > 0 {
		return nil, withCode(codeCasesFailed, fmt.Errorf("%s has %d file(s) or report(s) that do not belong there", repo, len(reasons)))
	}
	return all, nil
}

// checkResults verifies all reports of a repository, and its table.
func checkResults(cmd *cobra.Command, repo string, all []results.Result, table []byte) error {
	var errs []error
	for _, r := range all {
		if _, _, err := verified(cmd, filepath.Join(repo, filepath.FromSlash(r.Folder)), signers{}); err != nil {
			errs = append(errs, err)
		}
	}
	name := path.Join(results.Top, results.TableFile)
	has, err := files.Read(repo, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		errs = append(errs, fmt.Errorf("%s is missing: \"dratest report publish\" writes it", name))
	case err != nil:
		errs = append(errs, err)
	case !bytes.Equal(has, table):
		errs = append(errs, fmt.Errorf("%s is not what \"dratest report table\" prints", name))
	}
	if len(errs) > 0 {
		return withCode(codeCasesFailed, errors.Join(errs...))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d report(s) hold\n", len(all))
	return err
}

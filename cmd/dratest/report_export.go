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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/render/cncf"
	"github.com/dra-conformance/dratest/reports/schema"
)

func newExportCommand() *cobra.Command {
	var format, to string
	cmd := &cobra.Command{
		Use:   "export [DIRECTORY]",
		Short: "Write a report for a conformance program",
		Long: `Write a verified report in the format of a conformance program.

--format cncf is for the CNCF AI conformance program: junit.xml, results.json and
e2e.log in the format of "go test", README.md with the steps to reproduce them, a
part of PRODUCT.yaml, and the conformance report. They are in a directory named after
the Kubernetes version and --project of the run, for example v1.37/product, below
--to. Known issues are skipped tests and are listed in the notes.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "cncf" {
				return withCode(codeUsage, fmt.Errorf("format %q is unknown: use cncf", format))
			}
			dir := reports.Dir(append(args, "")[0])
			c, _, err := verified(cmd, dir, signers{})
			if err != nil {
				return err
			}
			if selected := c.Selected(); selected != "" {
				return withCode(codeUsage, fmt.Errorf("%s is a %s: run all cases, or those of a --profile", dir, selected))
			}
			folder, err := export(c, dir, to)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has what the programme takes; its README.md says what is to be added\n", folder)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "cncf", "cncf")
	cmd.Flags().StringVar(&to, "to", ".", "parent directory of the exported directory")
	return cmd
}

// export writes the report in dir into a new directory below to and returns this directory.
func export(c schema.ConformanceReport, dir, to string) (string, error) {
	content, err := cncf.Render(c)
	if err != nil {
		return "", err
	}
	copies := map[string]string{reports.ConformanceFile: c.FileName(), reports.SignatureFile: c.FileName() + ".intoto.json", reports.BundleFile: c.FileName() + ".sigstore.json"}
	for name, as := range copies {
		data, err := files.Read(dir, name)
		switch {
		case err == nil:
			content[as] = data
		case name == reports.ConformanceFile || !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("export %s: %w", dir, err)
		}
	}
	folder := filepath.Join(to, filepath.FromSlash(cncf.Folder(c)))
	if _, err := os.Stat(folder); err == nil {
		return "", withCode(codeUsage, fmt.Errorf("%s is there already: remove it, or choose another directory with --to", folder))
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	for name, data := range content {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return "", fmt.Errorf("export: %w", err)
		}
	}
	return folder, nil
}

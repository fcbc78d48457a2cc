package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/render/html"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/render/markdown"
	"github.com/dra-conformance/dratest/reports/schema"
)

func newReportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report [DIRECTORY]",
		Short: "Print the report of a run, verify it, compare it with others",
		Long: `Print the report of a run from the report.json in a directory (default
$ARTIFACTS, or ./_artifacts). The exit code is the run's.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := reports.Dir(append(args, "")[0])
			data, err := os.ReadFile(filepath.Join(dir, reports.JSONFile))
			if err != nil {
				return withCode(codeUsage, fmt.Errorf("read the report of a run: %w", err))
			}
			r, err := schema.Decode(data)
			if err != nil {
				return withCode(codeUsage, err)
			}
			rendered, err := render(dir, r, format)
			if err != nil {
				return err
			}
			if _, err := cmd.OutOrStdout().Write(rendered); err != nil {
				return err
			}
			return verdictError(r.Summary)
		},
	}
	cmd.AddCommand(newBadgeCommand(), newDiffCommand(), newExportCommand(), newFetchCommand(), newKeygenCommand(), newMatrixCommand(), newVerifyCommand())
	cmd.Flags().StringVarP(&format, "output", "o", "markdown", "markdown, html, junit or json")
	return cmd
}

func render(dir string, r schema.Report, format string) ([]byte, error) {
	switch format {
	case "markdown":
		return markdown.Render(r), nil
	case "junit":
		return junit.Render(r)
	case "html":
		return html.Render(r, reports.Attachments(os.DirFS(dir), r))
	case "json":
		return schema.Encode(r)
	default:
		return nil, withCode(codeUsage, fmt.Errorf("output %q is unknown: use markdown, html, junit or json", format))
	}
}

package reports

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/reports/render/html"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/render/markdown"
	"github.com/dra-conformance/dratest/reports/schema"
)

// The names of the files that Write makes.
const (
	JSONFile     = "report.json"
	JUnitFile    = "junit_01.xml"
	MarkdownFile = "report.md"
	HTMLFile     = "report.html"
)

// Write writes a report's files into dir, which it makes and where the evidence is. A
// file is either there as a whole or not at all.
func Write(dir string, r schema.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	encoded, err := schema.Encode(r)
	if err != nil {
		return err
	}
	xml, err := junit.Render(r)
	if err != nil {
		return err
	}
	page, err := html.Render(r, Attachments(os.DirFS(dir), r))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{JSONFile: encoded, JUnitFile: xml, MarkdownFile: markdown.Render(r), HTMLFile: page} {
		if err := renameio.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

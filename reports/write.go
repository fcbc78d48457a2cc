package reports

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Write writes a report in all formats into dir, which it makes and where the evidence is. A
// file is either there as a whole or not at all.
func Write(dir string, r schema.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	rendered := map[string][]byte{}
	for _, f := range Formats() {
		data, err := f.Render(r, os.DirFS(dir))
		if err != nil {
			return err
		}
		rendered[f.File] = data
	}
	for name, data := range rendered {
		if err := renameio.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

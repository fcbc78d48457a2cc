package matrix

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"strings"
)

//go:embed matrix.html
var page string

// HTML is a page that needs nothing else.
func HTML(t Table) ([]byte, error) {
	parsed, err := template.New("matrix").Funcs(template.FuncMap{
		"class": func(cell string) string { word, _, _ := strings.Cut(cell, " "); return word },
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("render matrix: %w", err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, t); err != nil {
		return nil, fmt.Errorf("render matrix: %w", err)
	}
	return b.Bytes(), nil
}

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

// HTML renders a self-contained page.
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

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

package history

import (
	"bytes"
	_ "embed" // the template
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:embed history.html
var page string

// JSON renders the complete history as JSON.
func JSON(h History) ([]byte, error) {
	data, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode history: %w", err)
	}
	return append(data, '\n'), nil
}

// HTML renders a self-contained page.
func HTML(h History) ([]byte, error) {
	parsed, err := template.New("history").Parse(page)
	if err != nil {
		return nil, fmt.Errorf("render history: %w", err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, h); err != nil {
		return nil, fmt.Errorf("render history: %w", err)
	}
	return b.Bytes(), nil
}

// Text renders a table of failed and flaky cases and those with a changed duration, and the number of
// other cases.
func Text(h History) string {
	var b strings.Builder
	for _, r := range h.Runs {
		fmt.Fprintf(&b, "run  %s  %s  %s  %s\n", r.Started.UTC().Format("2006-01-02 15:04"), r.Result, r.Target, r.Dir)
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	others := 0
	for _, c := range h.Cases {
		if c.FirstFailure == nil && len(c.Flaky) == 0 && len(c.Durations) == 0 {
			others++
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Rate(), strings.Join(c.Notes(), "; "))
	}
	_ = w.Flush()
	fmt.Fprintf(&b, "%d of %d cases never failed, are not flaky and kept their duration, in %d runs\n", others, len(h.Cases), len(h.Runs))
	return b.String()
}

// Rate returns the pass rate as text.
func (c Case) Rate() string {
	if c.Runs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%% of %d", c.PassRate, c.Runs)
}

// Notes returns notable facts about a case.
func (c Case) Notes() []string {
	var notes []string
	if len(c.Flaky) > 0 {
		notes = append(notes, "flaky on "+strings.Join(c.Flaky, ", "))
	}
	if f := c.FirstFailure; f != nil {
		reason, _, _ := strings.Cut(f.Reason, "\n")
		note := fmt.Sprintf("first failed %s on %s", f.Started.UTC().Format("2006-01-02 15:04"), f.Target)
		notes = append(notes, strings.TrimSuffix(note+": "+reason, ": "))
	}
	for _, d := range c.Durations {
		word := "slower"
		if d.After < d.Before {
			word = "faster"
		}
		notes = append(notes, fmt.Sprintf("%s since %s on %s: %.1fs -> %.1fs", word, d.Since.UTC().Format("2006-01-02 15:04"), d.Target, d.Before, d.After))
	}
	return notes
}

// Summary counts the results on a target, such as "passed 9, failed 1".
func (t Target) Summary() string {
	var words []string
	for _, r := range slices.Compact(slices.Sorted(slices.Values(t.Results))) {
		n := 0
		for _, each := range t.Results {
			if each == r {
				n++
			}
		}
		words = append(words, fmt.Sprintf("%s %d", r, n))
	}
	return strings.Join(words, ", ")
}

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

package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// packedTimeline is the timeline format of page.js, with times in milliseconds since the start of the
// case.
type packedTimeline struct {
	// Began is the start in Unix milliseconds, and Length the duration.
	Began   int64    `json:"began"`
	Length  float64  `json:"length"`
	Entries []any    `json:"entries"`
	Missing []string `json:"missing,omitempty"`
}

// pack returns timelines by case, as compressed JSON in base64 up to the size limit. Cases not passed
// have priority.
func pack(cases []schema.Case, attached map[string]Attachment) (map[string]string, error) {
	packed, left := map[string]string{}, maxTimelines
	for _, passed := range []bool{false, true} {
		for _, c := range cases {
			t := attached[c.ID].Timeline
			if t == nil || (c.Status == spec.Passed) != passed {
				continue
			}
			text, err := packOne(*t)
			if err != nil {
				return nil, fmt.Errorf("pack the timeline of %s: %w", c.ID, err)
			}
			if len(text) > left {
				continue
			}
			left -= len(text)
			packed[c.ID] = text
		}
	}
	return packed, nil
}

func packOne(t spec.Timeline) (string, error) {
	p := packedTimeline{Began: t.Started.UnixMilli(), Length: milliseconds(t.Ended.Sub(t.Started)), Missing: t.Missing}
	for _, e := range t.Entries {
		open := 0
		if e.Open {
			open = 1
		}
		p.Entries = append(p.Entries, []any{
			milliseconds(e.Time.Sub(t.Started)), milliseconds(e.Took), open, e.Source, e.Object, e.Text, e.State, e.Severity,
		})
	}
	content, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	// URL-safe: html/template would escape + and /.
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// milliseconds has one decimal, the precision of the measurements.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000
}

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

package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// encoded makes values comparable.
func encoded(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		return err.Error() // impossible for these types
	}
	return string(data)
}

// Verify reads the record in a report directory: the outcomes of its cases, whether a step
// failed, and the reasons why record and table do not fit the report.
func Verify(dir fs.FS, r schema.Report) (all []spec.Outcome, failed bool, reasons []string) {
	record, err := readRecord(dir)
	if err != nil {
		return nil, false, []string{fmt.Sprintf("%s cannot be read: %v", RecordFile, err)}
	}
	refuse := func(what, found, should string) {
		if found != should {
			reasons = append(reasons, fmt.Sprintf("report.json: %s is %q, and %s makes it %q", what, found, RecordFile, should))
		}
	}
	refuse("summary.verdict", string(r.Summary.Verdict), string(record.Verdict))
	refuse("cluster.kubernetes", r.Cluster.Kubernetes, record.Target.Kubernetes)
	refuse("started", r.Started.UTC().String(), record.Started.UTC().String())
	refuse("problems", fmt.Sprint(r.Problems), fmt.Sprint(record.Problems))
	refuse("selection.expectations", fmt.Sprint(r.Selection.Expectations), fmt.Sprint(record.Expectations))
	refuse("monitoring and findings", encoded(r.Monitoring, r.Findings), encoded(schema.Printable(record.Monitoring), schema.Printable(record.Findings)))
	reported, recorded := map[string]string{}, map[string]string{}
	for _, c := range r.Cases {
		reported[c.ID] = string(c.SkipCode)
	}
	for _, c := range record.Cases {
		recorded[c.ID] = ""
		if c.Skip != nil {
			recorded[c.ID] = string(c.Skip.Code)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(recorded)) {
		refuse("skipCode of case "+id, reported[id], recorded[id])
	}
	refuse("number of cases", fmt.Sprint(len(r.Cases)), fmt.Sprint(len(record.Cases)))
	if found, err := fs.ReadFile(dir, TableFile); err == nil && !bytes.Equal(found, whole(record, r)) {
		reasons = append(reasons, fmt.Sprintf("%s is not what %s makes it", TableFile, RecordFile))
	}
	failed = slices.ContainsFunc(record.Steps, func(s Step) bool { return s.Problem != "" && s.Problem != errStopped.Error() })
	return outcomes(record), failed, reasons
}

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

package schema

import (
	"encoding/json"
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// DecodeTimeline reads a case's timeline.json. It rejects other schema versions, ignores unknown
// fields of newer builds, and makes texts Printable.
func DecodeTimeline(data []byte) (spec.Timeline, error) {
	var t spec.Timeline
	if err := json.Unmarshal(data, &t); err != nil {
		return spec.Timeline{}, fmt.Errorf("decode timeline: %w", err)
	}
	if t.SchemaVersion != spec.TimelineVersion {
		return spec.Timeline{}, fmt.Errorf("decode timeline: its schema version is %q, this dratest reads %s", t.SchemaVersion, spec.TimelineVersion)
	}
	return Printable(t), nil
}

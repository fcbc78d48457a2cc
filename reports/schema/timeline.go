package schema

import (
	"encoding/json"
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// DecodeTimeline reads a case's timeline.json and refuses other schema versions. Fields
// that it does not know are newer and do not matter.
func DecodeTimeline(data []byte) (spec.Timeline, error) {
	var t spec.Timeline
	if err := json.Unmarshal(data, &t); err != nil {
		return spec.Timeline{}, fmt.Errorf("decode timeline: %w", err)
	}
	if t.SchemaVersion != spec.TimelineVersion {
		return spec.Timeline{}, fmt.Errorf("decode timeline: its schema version is %q, this dratest reads %s", t.SchemaVersion, spec.TimelineVersion)
	}
	return t, nil
}

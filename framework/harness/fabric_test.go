package harness

import (
	"encoding/json"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// A fabric that was to say nothing any more went on with what it had said, because nothing
// was told of a script without conditions.
func TestScriptWithoutConditionsTakesThePlaceOfTheLast(t *testing.T) {
	text, err := json.Marshal(fabricScript(nil))
	if err != nil {
		t.Fatal(err)
	}
	change := spec.DriverChange{}
	if err := json.Unmarshal(text, &change); err != nil || change.Fabric == nil || len(*change.Fabric) != 0 {
		t.Errorf("an instance reads %+v of %s: %v", change.Fabric, text, err)
	}
}

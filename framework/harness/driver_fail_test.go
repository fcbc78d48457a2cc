package harness

import (
	"encoding/json"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fail without faults ends those before, also when it reaches the driver as JSON, where an
// empty list is another thing than none.
func TestFailWithoutFaultsEndsThem(t *testing.T) {
	f, a := newFake(t), &agents{}
	f.env.Drivers, f.Nodes = a, []string{"node"}
	d := f.addDriver("driver", spec.Profile{})

	succeeds(t, f, func() { d.Fail() })

	sent, err := json.Marshal(a.changes[0])
	if err != nil {
		t.Fatal(err)
	}
	if string(sent) != `{"faults":[]}` {
		t.Errorf("sent %s", sent)
	}
}

package inventory

import (
	"testing"
)

func TestIDsReadAsInMessages(t *testing.T) {
	id := DeviceID{Driver: "a", Pool: "b", Device: "c"}
	if got := id.PoolID().String() + " " + id.String(); got != "a/b a/b/c" {
		t.Errorf("got %s", got)
	}
}

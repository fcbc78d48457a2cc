package main

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/clusters/host/capability"
)

// TestNames holds this program's table against the one that the table of the
// machine is made from: what doctor calls missing is what this program drops.
func TestNames(t *testing.T) {
	if want := capability.Bounding(0).Missing(len(names) - 1); !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestLacks(t *testing.T) {
	set := bounding(1 << 21)
	for name, want := range map[string]bool{"CAP_SYS_ADMIN": false, "CAP_CHOWN": true, "CAP_OF_TOMORROW": false} {
		if got := set.lacks(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestReadBounding(t *testing.T) {
	if set, err := readBounding(); err != nil || set == 0 {
		t.Errorf("got %x, %v", set, err)
	}
}

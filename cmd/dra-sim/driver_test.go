package main

import (
	"os"
	"strings"
	"testing"
)

// Manifests start dra-sim with flags that it has.
func TestFlagsOfManifests(t *testing.T) {
	for _, manifest := range []string{"../../drivers/declarations/dra-sim/install.yaml", "../../implementation/cmd/dra-classic-driver/kubelet-plugin.yaml"} {
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "args: [driver, ")
		list, _, found := strings.Cut(rest, "]")
		if !found {
			t.Errorf("%s has no arguments for a driver", manifest)
		}
		if err := newDriverCommand().ParseFlags(strings.Split(list, ", ")); err != nil {
			t.Errorf("%s: %v", manifest, err)
		}
	}
}

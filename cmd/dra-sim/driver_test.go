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

package main

import (
	"os"
	"strings"
	"testing"
)

// Manifests pass only flags known to dra-sim.
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

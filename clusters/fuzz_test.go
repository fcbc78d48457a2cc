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

package clusters_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/fuzztest"
)

// FuzzDecodeConfig checks that an accepted cluster file is valid and survives a round trip, and that the errors of others
// have text.
func FuzzDecodeConfig(f *testing.F) {
	f.Add([]byte("workers: 2\nversion: 1.37\nfeatureGates: {DRAFoo: true}\n"))
	f.Add([]byte("workers: [2]\nfeatureGates: {a: {b: c}}\nfeatureGates: &a 1\nx: *a\n"))
	f.Add([]byte("<<: {workers: '2'}\n? [a]\n: b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := clusters.DecodeConfig(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without text")
			}
			return
		}
		if err := c.WithDefaults("").Validate(); err != nil {
			t.Error(err)
		}
		fuzztest.RoundTrip(t, c, func(c clusters.Config) ([]byte, error) { return yaml.Marshal(c) }, clusters.DecodeConfig)
	})
}

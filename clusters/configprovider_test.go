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

package clusters

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWhatEachProviderHas(t *testing.T) {
	for name, tc := range map[string]struct {
		config Config
		want   string // empty means valid
	}{
		"kind":                      {Config{Workers: new(1)}, ""},
		"kind by name":              {Config{Provider: "kind"}, ""},
		"control plane":             {Config{Provider: "controlplane", Nodes: 5000, Without: []string{"controllers"}}, ""},
		"own scheduler":             {Config{Provider: "controlplane", Stack: Stack{Scheduler: spec.Own}}, ""},
		"unknown":                   {Config{Provider: "k3s"}, `provider: "k3s" is unknown`},
		"simulated nodes of kind":   {Config{Nodes: 3}, "nodes: provider kind has no simulated nodes"},
		"kind has its own programs": {Config{Programs: map[string]string{"etcd": "etcd"}}, "programs: provider kind"},
		"kind leaves nothing out":   {Config{Without: []string{"scheduler"}}, "without: provider kind"},
		"workers":                   {Config{Provider: "controlplane", Workers: new(2)}, "workers: provider controlplane has no real nodes"},
		"too many nodes":            {Config{Provider: "controlplane", Nodes: 10001}, "nodes: 10001: must be between 0 and 10000"},
		"negative nodes":            {Config{Provider: "controlplane", Nodes: -1}, "nodes: -1"},
		"image":                     {Config{Provider: "controlplane", Image: "i"}, "image:"},
		"kubelet":                   {Config{Provider: "controlplane", Kubelet: map[string]any{"a": 1}}, "kubelet:"},
		"kubelet arguments":         {Config{Provider: "controlplane", ComponentArgs: map[string]map[string]string{"kubelet": {"v": "1"}}}, "kubelet:"},
		"own kubelet":               {Config{Provider: "controlplane", Stack: Stack{Kubelet: spec.Own}}, "choose scheduler=own"},
		"no such component":         {Config{Provider: "controlplane", Without: []string{"etcd"}}, `unknown component "etcd"`},
		"own and left out":          {Config{Provider: "controlplane", Stack: Stack{Scheduler: spec.Own}, Without: []string{"scheduler"}}, "the stack has the own scheduler"},
		"controllers and left out":  {Config{Provider: "controlplane", Stack: Stack{Controllers: spec.Own}, Without: []string{"controllers"}}, "the stack has own controllers"},
	} {
		err := tc.config.WithDefaults("v1.37.1").Validate()
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
	}
}

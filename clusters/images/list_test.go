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

package images

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/engine"
)

func TestDescribe(t *testing.T) {
	image := func(id, version, stage, parents string, tags ...string) engine.Image {
		return engine.Image{ID: id, Tags: tags, Labels: map[string]string{labelVersion: version, labelStage: stage, labelParents: parents}}
	}
	got := describe([]engine.Image{
		image("1", "v1.36.4", "base", "", "dratest/stage:a"),
		image("2", "v1.37.1", "base", "", "dratest/stage:b"),
		image("3", "v1.37.1", "base", "", "dratest/stage:old"),
		image("4", "v1.37.1", "components", "dratest/stage:b", "dratest/stage:c"),
		image("5", "v1.37.1", "node", "dratest/stage:b dratest/stage:c", "dratest/node:v1.37.1", "dratest/node:v1.37.1-n"),
		image("6", "v1.37.1", "node", "dratest/stage:old", "dratest/node:v1.37.1-old"),
		image("8", "v1.36.4", "node", "", "dratest/node:v1.36.4-published", "dratest/node:v1.36.4-published-n"),
		image("sha256:7", "v1.37.1", "node", ""),
	})
	var lines []string
	for _, i := range got {
		lines = append(lines, fmt.Sprintf("%s %s %t", i.Ref, i.Stage, i.Current))
	}
	want := []string{
		"dratest/node:v1.37.1-n node true",
		"dratest/node:v1.37.1-old node false",
		"sha256:7 node false",
		"dratest/stage:c components true",
		"dratest/stage:b base true",
		"dratest/stage:old base false",
		"dratest/node:v1.36.4-published-n node true",
		"dratest/stage:a base false",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

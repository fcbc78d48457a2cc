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

	"github.com/dra-conformance/dratest/clusters"
)

func TestNodeImageFieldsThatContradict(t *testing.T) {
	for name, tc := range map[string]struct {
		config clusters.Config
		want   string // of the error; empty if there is to be none
	}{
		"nothing":            {clusters.Config{}, ""},
		"registry":           {clusters.Config{NodeImageSource: clusters.SourceRegistry, NodeImageRegistry: "127.0.0.1:5000/hub"}, ""},
		"registry alone":     {clusters.Config{NodeImageRegistry: "mirror.example.com"}, ""},
		"unknown source":     {clusters.Config{NodeImageSource: "hub"}, "must be auto, registry or build"},
		"image and source":   {clusters.Config{Image: "i", NodeImageSource: clusters.SourceBuild}, "give one of them"},
		"registry for build": {clusters.Config{NodeImageSource: clusters.SourceBuild, NodeImageRegistry: "r"}, "is not asked"},
		"with a protocol":    {clusters.Config{NodeImageRegistry: "http://r"}, "leave the protocol out"},
		"a flag as registry": {clusters.Config{NodeImageRegistry: "-x"}, "begins with a hyphen"},
		"a flag as image":    {clusters.Config{Image: "--privileged"}, "is not the name of an image"},
		"no name":            {clusters.Config{NodeImageRegistry: "r/UPPER"}, "is not like"},
	} {
		err := tc.config.WithDefaults("").Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

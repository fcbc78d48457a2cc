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

package companions_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Another process gets the discovered clients, and cases tell them apart by name.
func TestCompanionsAreHandedOn(t *testing.T) {
	clients := map[spec.Companion]any{
		casefabric.Companion: fabric.Fabrics{Program: "p", Kubeconfig: "k", Context: "c"},
		whatif.Companion:     companions.Command{Program: "p", Kubeconfig: "k"},
		classicdra.Companion: classic.Programs{Scheduler: "s", Driver: "d", Config: []byte("c"), Kubeconfig: "k"},
	}
	names := map[spec.Companion]bool{}
	for _, c := range companions.All() {
		if names[c.Name] || c.Skip == "" || c.NoKubeconfig == "" || c.NoProgram == "" || c.Find == nil {
			t.Errorf("companion %s is there twice, or lacks something: %+v", c.Name, c)
		}
		if c.Name == classicdra.Companion && !strings.Contains(c.Lacks(spec.Needs{}, spec.Target{}), "--disruptive") {
			t.Error("definitions and policies are installed in a cluster of others without leave")
		}
		names[c.Name] = true
		want, known := clients[c.Name]
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Decode(data)
		if err != nil || known && !reflect.DeepEqual(got, want) {
			t.Errorf("companion %s: got %+v, %v", c.Name, got, err)
		}
	}
	for name := range clients {
		if !names[name] {
			t.Errorf("companion %s is not there", name)
		}
	}
}

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
	"bytes"
	"testing"
)

// FuzzReadNodes checks that nodes have names, and that there are some.
func FuzzReadNodes(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {a: b}}\n---\n# none\n---\nkind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: Node, metadata: {name: m}}]\n"))
	f.Add([]byte("kind: NodeList\nitems: [null]\n---\nnull\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		nodes, err := readNodes("-", bytes.NewReader(content))
		if err == nil && len(nodes) == 0 {
			t.Error("no nodes")
		}
		for _, node := range nodes {
			if node.Name == "" {
				t.Errorf("%+v has no name", node)
			}
		}
	})
}

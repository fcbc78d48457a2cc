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

package simulation

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A node's host name may differ from its name, and new nodes must not share it.
func TestNewNodesHaveTheirOwnHostname(t *testing.T) {
	template := Template{Node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1.example.com", Labels: map[string]string{v1.LabelHostname: "node-1"}}}}
	if got := template.Instance("new").Nodes[0].Labels[v1.LabelHostname]; got != "new" {
		t.Errorf("the new node's host name is %q", got)
	}
}

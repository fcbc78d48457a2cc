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

package explore

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FuzzRead checks that objects of a finding's file stay isolated when they are renamed for a replay: the explorer
// creates them in a cluster and removes them by their label.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`# a finding
---
kind: Node
metadata: {name: x1-node, labels: {` + label + `: x1}}
status: {allocatable: {x1.example.com/a: "2"}}
---
kind: DeviceClass
metadata: {name: x1-class, labels: {` + label + `: x1}}
---
kind: ResourceSlice
metadata: {name: x1-slice, labels: {` + label + `: x1}}
spec: {driver: d.x1` + domain + `, pool: {name: x1}, devices: [{name: a}]}
---
kind: ResourceClaim
metadata: {name: x1-claim, namespace: a, labels: {` + label + `: x1}}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x1-class}}]}}
---
kind: Pod
metadata: {name: x1-pod}
spec: {resourceClaims: [{name: c, resourceClaimName: x1-claim}], containers: [{name: c, resources: {limits: {deviceclass.resource.kubernetes.io/x1-class: "1"}}}]}
`))
	f.Add([]byte("---\nnull\n---\nkind: Pod\n"))
	file := filepath.Join(f.TempDir(), "finding.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, id, err := read(file)
		if err != nil {
			return
		}
		const next = "x9zz"
		again, err := renamed(p, id)(next, "other")
		if err != nil {
			t.Fatal(err)
		}
		if err := scopedAs(again, next); err != nil {
			t.Error(err)
		}
		for _, claim := range append(again.Claims, again.Allocated...) {
			if claim.Namespace != "other" && claim.Namespace != metav1.NamespaceNone {
				t.Errorf("claim %s is in namespace %q", claim.Name, claim.Namespace)
			}
		}
	})
}

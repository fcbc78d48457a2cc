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

package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
)

// patchStatus adds an entry to a list in an object's status with each patch type, and expects all of
// them in the object and in its status. key is the field identifying an entry.
func patchStatus[E any](t *harness.T, resource, kind, name, field, key string, entry func(i int) E) {
	t.Step("patch the status of one of the %s in each way", resource)
	text := func(numbers ...int) string {
		var all []string
		for _, i := range numbers {
			one, err := json.Marshal(entry(i))
			t.NoError(err, "write an entry")
			all = append(all, string(one))
		}
		return strings.Join(all, ",")
	}
	status := func(numbers ...int) string { return fmt.Sprintf(`"status":{%q:[%s]}}`, field, text(numbers...)) }
	client := t.Client.ResourceV1().RESTClient()
	for _, p := range []struct{ how, patch string }{
		{"merge", "{" + status(0, 1)},
		{"strategic", "{" + status(2)},
		{"json", fmt.Sprintf(`[{"op":"add","path":"/status/%s/-","value":%s}]`, field, text(3))},
		{"apply", fmt.Sprintf(`{"apiVersion":"%s/v1","kind":%q,"metadata":{"name":%q},%s`, group, kind, name, status(4))},
	} {
		err := of(t, client.Patch(patchKinds[p.how]), resource).Name(name).SubResource("status").
			Param("fieldManager", "verbs").Body([]byte(p.patch)).Do(t.Context()).Error()
		t.NoError(err, "patch the status of %s %s: %s", resource, name, p.how)
	}
	for _, subresource := range [][]string{nil, {"status"}} {
		body, err := of(t, client.Get(), resource).Name(name).SubResource(subresource...).Do(t.Context()).Raw()
		t.NoError(err, "get %s %s %s", resource, name, subresource)
		var now struct {
			Status map[string]json.RawMessage `json:"status"`
		}
		t.NoError(json.Unmarshal(body, &now), "read %s %s", resource, name)
		var entries []map[string]any
		t.NoError(json.Unmarshal(now.Status[field], &entries), "read %s of %s %s", field, resource, name)
		var known []any
		for _, e := range entries {
			known = append(known, e[key])
		}
		for i := range 5 {
			var want map[string]any
			t.NoError(json.Unmarshal([]byte(text(i)), &want), "read an entry")
			t.Expect(known).To(gomega.ContainElement(want[key]), "%s in the status of %s %s, read from %q", field, resource, name, subresource)
		}
	}
}

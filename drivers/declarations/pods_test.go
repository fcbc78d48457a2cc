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

package declarations

import (
	"strings"
	"testing"
)

func TestParsePodTemplate(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		agents     bool
		err        string
	}{
		{"pods", "tolerations: [{key: gpu, operator: Exists}]\nimagePullSecrets: [{name: registry}]\n", false, ""},
		{"nothing", "", false, ""},
		{"no pod spec", "toleration: []\n", false, `is no pod spec: unknown field "toleration"`},
		{"no YAML", "a: [", false, "is no pod spec: yaml"},
		{"two documents", "priorityClassName: a\n---\npriorityClassName: b\n", false, "line 3: must be one document"},
		{"field of cases", "schedulerName: mine\n", false, "schedulerName: must not be set: cases test the default scheduler"},
		{"resources of pods", "containers: [{name: '*', resources: {limits: {cpu: 1}}}]\n", false, "containers: resources must not be set"},
		{"resources of agents", "containers: [{name: '*', resources: {limits: {cpu: 1}}}]\n", true, ""},
	} {
		_, err := ParsePodTemplate([]byte(tc.text), tc.agents)
		if (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.err)
		}
	}
}

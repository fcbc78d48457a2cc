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
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	good := result{pods: 1000, events: 10000, heldEvents: 2000, before: state{0, 100 * mib}, most: state{5, 120 * mib}, held: 2003}
	if problems := good.problems(); len(problems) > 0 {
		t.Errorf("got %q, want none", problems)
	}
	for want, change := range map[string]func(*result){
		"events pile up":                func(r *result) { r.most.inFlight = 9000 },
		"memory grows by 100 MiB":       func(r *result) { r.most.resident = 200 * mib },
		"the measurement shows nothing": func(r *result) { r.held = 0 },
	} {
		bad := good
		change(&bad)
		if problems := bad.problems(); len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("got %q, want one with %q", problems, want)
		}
	}
}

func TestConfigured(t *testing.T) {
	tree := map[string]any{
		"clientConnection": map[string]any{"kubeconfig": "/k"},
		"profiles":         []map[string]any{{"pluginConfig": []map[string]any{{"name": "DRA", "args": map[string]any{"bindingTimeout": "20s"}}}}},
	}
	data, err := configured(tree, "http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bindingTimeout: 1h", "urlPrefix: http://127.0.0.1:1", "leaderElect: false", "name: " + heldResource, "kubeconfig: /k"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is not in\n%s", want, data)
		}
	}
	if _, err := configured(map[string]any{}, ""); err == nil {
		t.Error("a configuration without profile was taken")
	}
}

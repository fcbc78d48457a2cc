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

package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/testbed/access"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestRecorder(t *testing.T) {
	const dra = "resource.k8s.io"
	right := func(verb, group, resource string) access.Right {
		return access.Right{Verb: verb, Group: group, Resource: resource}
	}
	for _, row := range []struct {
		name, method, path, body string
		header                   map[string]string
		want                     []access.Right
	}{
		{"a list", "GET", "/api/v1/nodes", "", nil, []access.Right{right("list", "", "nodes")}},
		{"a watch", "GET", "/apis/resource.k8s.io/v1/resourceclaims?watch=true", "", nil, []access.Right{right("watch", dra, "resourceclaims")}},
		{"a subresource", "GET", "/api/v1/namespaces/a/pods/b/log", "", nil, []access.Right{right("get", "", "pods/log")}},
		{"a path", "GET", "/metrics", "", nil, []access.Right{{Verb: "get", Path: "/metrics"}}},
		{
			"what is applied may have to be created", "PATCH", "/apis/apps/v1/namespaces/a/daemonsets/b", "{}",
			map[string]string{"Content-Type": "application/apply-patch+yaml"},
			[]access.Right{right("create", "apps", "daemonsets"), right("patch", "apps", "daemonsets")},
		},
		{
			"somebody else's request", "GET", "/api/v1/nodes", "",
			map[string]string{"Impersonate-User": "someone", "Impersonate-Group": "system:nodes", "Impersonate-Extra-Authentication.kubernetes.io%2fnode-Name": "n"},
			[]access.Right{
				right("impersonate", "", "users"), {Verb: "impersonate", Resource: "groups", Name: "system:nodes"},
				right("impersonate", "authentication.k8s.io", "userextras/authentication.kubernetes.io/node-name"),
			},
		},
		{
			"a service account's request", "GET", "/api/v1/nodes", "", map[string]string{"Impersonate-User": "system:serviceaccount:a:b"},
			[]access.Right{right("impersonate", "", "serviceaccounts")},
		},
		{
			"rights that are given", "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles",
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["create"]}]}`, nil,
			[]access.Right{right("create", "", "pods"), right("create", rbacv1.GroupName, "roles")},
		},
		{
			"a claim that is reserved, with a device's status", "PUT", "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/b/status",
			`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","status":{"reservedFor":[{"name":"p"}],"devices":[{"device":"d"}]}}`, nil,
			[]access.Right{
				right("update", dra, "resourceclaims/binding"), right("arbitrary-node:update", dra, "resourceclaims/driver"), right("update", dra, "resourceclaims/status"),
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			arrived := ""
			recorder := NewRecorder(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body := new(strings.Builder)
				_ = r.Write(body)
				arrived = body.String()
			}))
			req := httptest.NewRequestWithContext(t.Context(), row.method, row.path, strings.NewReader(row.body))
			for name, value := range row.header {
				req.Header.Set(name, value)
			}
			recorder.ServeHTTP(httptest.NewRecorder(), req)
			got, err := recorder.Rights()
			want := map[access.Right]bool{}
			for _, r := range row.want {
				want[r] = true
			}
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%v, -want +got:\n%s", err, d)
			}
			if !strings.HasPrefix(arrived, row.method+" "+row.path) || !strings.HasSuffix(arrived, row.body) {
				t.Errorf("the server got %s", arrived)
			}
		})
	}
}

func TestEachRightIsATrial(t *testing.T) {
	p := Proof(true)
	if want := 1 + len(access.Of(access.Rules(true))) + len(access.Of(access.Certifying())); len(p.Trials) != want {
		t.Errorf("%d trials, want %d", len(p.Trials), want)
	}
	seen := map[string]bool{}
	for _, trial := range p.Trials {
		if seen[trial.ID] || strings.ContainsAny(trial.ID, " /:=") {
			t.Errorf("trial %q", trial.ID)
		}
		seen[trial.ID] = true
	}
}

func TestVerdicts(t *testing.T) {
	given := []access.Right{{Verb: "get", Path: "/metrics"}, {Verb: "list", Resource: "nodes"}}
	all := map[access.Right]bool{given[0]: true, given[1]: true}
	passed, failed := schema.Report{}, schema.Report{}
	passed.Summary.Verdict, failed.Summary.Verdict = schema.Passed, schema.Failed
	if f := judge(passed, all, given); !f.Detected {
		t.Errorf("%+v", f)
	}
	if f := judge(failed, all, given); f.Detected {
		t.Errorf("a run that failed: %+v", f)
	}
	if f := judge(passed, map[access.Right]bool{given[0]: true}, given); f.Detected || !cmp.Equal(f.Missed, []string{"not taken: list nodes"}) {
		t.Errorf("a right that nobody takes: %+v", f)
	}
	for name, row := range map[string]struct {
		err      error
		detected bool
	}{
		"it is named":             {access.MissingError{Rights: given[:1]}, true},
		"others are named, too":   {access.MissingError{Rights: given}, false},
		"another one is named":    {access.MissingError{Rights: given[1:]}, false},
		"something else happened": {errors.New("no"), false},
		"nobody noticed":          {nil, false},
	} {
		if f := named(given[0], row.err); f.Detected != row.detected {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

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

package access_test

import (
	"errors"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// refusing is an API server denying one right.
func refusing(refused access.Right) *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action k8stesting.Action) (bool, runtime.Object, error) {
		review := action.(k8stesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		asked, no := review.Spec, refused.Question()
		same := asked.ResourceAttributes == nil && no.ResourceAttributes == nil && *asked.NonResourceAttributes == *no.NonResourceAttributes ||
			asked.ResourceAttributes != nil && no.ResourceAttributes != nil && *asked.ResourceAttributes == *no.ResourceAttributes
		review.Status.Allowed = !same
		return true, review, nil
	})
	return client
}

func TestCheckNamesEachRightThatIsMissing(t *testing.T) {
	for _, right := range access.Of(access.Rules(true)) {
		var missing access.MissingError
		err := access.Check(t.Context(), refusing(right), access.Rules(true))
		if !errors.As(err, &missing) || !slices.Equal(missing.Rights, []access.Right{right}) {
			t.Errorf("without %s: %v", right, err)
		}
	}
	if err := access.Check(t.Context(), refusing(access.Right{Verb: "create", Resource: "secrets"}), access.Rules(true)); err != nil {
		t.Errorf("with all of them: %v", err)
	}
}

func TestAServerThatDoesNotAnswerIsAnError(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "*", func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("no") })
	if err := access.Check(t.Context(), client, access.Rules(true)); err == nil || errors.As(err, new(access.MissingError)) {
		t.Errorf("got %v", err)
	}
}

// Granting rights requires having them.
func TestTheTestDriverGetsNothingThatTheRunLacks(t *testing.T) {
	run, certification := access.Of(access.Rules(true)), access.Of(access.Certifying())
	for _, right := range access.Of(deploy.Rules()) {
		if !slices.Contains(run, right) || !slices.Contains(certification, right) {
			t.Errorf("dra-sim may %s, a run or a certification may not", right)
		}
	}
}

func TestNoRightIsGivenTwice(t *testing.T) {
	for _, rules := range [][]rbacv1.PolicyRule{access.Rules(true), access.Certifying()} {
		given := 0
		for _, rule := range rules {
			given += max(1, len(rule.APIGroups)*len(rule.Resources)*max(1, len(rule.ResourceNames))) * len(rule.Verbs)
		}
		if n := len(access.Of(rules)); n != given {
			t.Errorf("the rules have %d rights, %d of them different", given, n)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, right := range access.Of(access.Rules(true)) {
		left := access.Of(access.Without(access.Rules(true), right))
		if slices.Contains(left, right) || len(left) != len(access.Of(access.Rules(true)))-1 {
			t.Errorf("without %s: %d rights are left", right, len(left))
		}
	}
}

func TestRightsAreWrittenAsKubectlTakesThem(t *testing.T) {
	for want, right := range map[string]access.Right{
		"get /metrics":                                               {Verb: "get", Path: "/metrics"},
		"create pods --subresource=exec":                             {Verb: "create", Resource: "pods/exec"},
		"list resourceslices.resource.k8s.io":                        {Verb: "list", Group: "resource.k8s.io", Resource: "resourceslices"},
		"impersonate groups/system:nodes":                            {Verb: "impersonate", Resource: "groups", Name: "system:nodes"},
		"update resourceclaims.resource.k8s.io --subresource=status": {Verb: "update", Group: "resource.k8s.io", Resource: "resourceclaims/status"},
	} {
		if right.String() != want {
			t.Errorf("got %s, want %s", right, want)
		}
	}
}

// Nodes are shared: only with disruption allowed may a run create and remove some.
func TestNodesAreMadeOnlyWithDisruption(t *testing.T) {
	for _, verb := range []string{"create", "delete"} {
		right := access.Right{Verb: verb, Resource: "nodes"}
		for _, disruptive := range []bool{false, true} {
			if got := slices.Contains(access.Of(access.Rules(disruptive)), right); got != disruptive {
				t.Errorf("disruptive %t: may %s: %t", disruptive, right, got)
			}
		}
	}
}

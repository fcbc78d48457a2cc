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

package extension_test

import (
	"errors"
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

func claim(consumers ...types.UID) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: "claim-uid"}}
	for _, uid := range consumers {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: string(uid), UID: uid})
	}
	return c
}

func TestUnreserve(t *testing.T) {
	conflict := apierrors.NewConflict(resourceapi.Resource("resourceclaims"), "claim", errors.New("changed"))
	for name, tc := range map[string]struct {
		there     *resourceapi.ResourceClaim
		uid       types.UID
		conflicts int
		left      []types.UID
		gone      bool
		patches   int
	}{
		"one of two":        {claim("a", "b"), "claim-uid", 0, []types.UID{"b"}, false, 1},
		"the last one":      {claim("a"), "claim-uid", 0, nil, false, 1},
		"changed meanwhile": {claim("a", "b"), "claim-uid", 2, []types.UID{"b"}, false, 3},
		"not a consumer":    {claim("b"), "claim-uid", 0, []types.UID{"b"}, false, 0},
		"another claim":     {claim("a"), "before", 0, []types.UID{"a"}, true, 0},
		"no claim":          {nil, "claim-uid", 0, nil, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			client, patches := fake.NewClientset(), 0
			if tc.there != nil {
				client = fake.NewClientset(tc.there)
			}
			client.PrependReactor("patch", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
				if p := a.(clienttesting.PatchAction); p.GetPatchType() != types.MergePatchType || p.GetSubresource() != "status" {
					t.Errorf("a patch of type %s to %q", p.GetPatchType(), p.GetSubresource())
				}
				if patches++; patches <= tc.conflicts {
					return true, nil, conflict
				}
				return false, nil, nil
			})
			claims := client.ResourceV1().ResourceClaims("ns")
			got, err := extension.Unreserve(t.Context(), claims, "claim", tc.uid, "a")
			if err != nil || (got == nil) != tc.gone || patches != tc.patches {
				t.Errorf("%v, %v after %d patches", got, err, patches)
			}
			now, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
			if tc.there == nil {
				return
			}
			var left []types.UID
			for _, r := range now.Status.ReservedFor {
				left = append(left, r.UID)
			}
			if err != nil || !slices.Equal(left, tc.left) {
				t.Errorf("consumers %v, %v", left, err)
			}
		})
	}
}

func TestUnreserveFails(t *testing.T) {
	client := fake.NewClientset(claim("a"))
	client.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcd is away")
	})
	if _, err := extension.Unreserve(t.Context(), client.ResourceV1().ResourceClaims("ns"), "claim", "claim-uid", "a"); err == nil {
		t.Error("no error")
	}
}

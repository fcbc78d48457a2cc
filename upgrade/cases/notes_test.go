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

package cases

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A check of an upgrade by another tool waited six minutes for a pod and an allocation that somebody had deleted.
func TestLossIsReportedAtOnce(t *testing.T) {
	for want, tc := range map[string]struct {
		pod       string
		claim     string
		allocated bool
	}{
		"":                                   {"stays", "stays", true},
		"pod stays is gone":                  {"", "stays", true},
		"claim stays is gone":                {"stays", "", true},
		"claim stays is not allocated any":   {"stays", "stays", false},
		"pod stays is gone (UID 1, node n1)": {"", "", false},
	} {
		c := harnesstest.New(t, spec.Meta{ID: "upgrade/x"}, &harness.Env{})
		namespace := c.Namespace
		if tc.pod != "" {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: tc.pod, Namespace: namespace}}
			if _, err := c.T.Client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if tc.claim != "" {
			claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: tc.claim, Namespace: namespace}}
			if tc.allocated {
				claim.Status.Allocation = &resourceapi.AllocationResult{}
			}
			if _, err := c.T.Client.ResourceV1().ResourceClaims(namespace).Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		n := Notes{Pods: map[string]Pod{"stays": {UID: "1", Node: "n1"}}, Claims: map[string]Claim{"stays": {UID: "2"}}}
		if want == "" {
			c.Succeeds(t, func() { n.expectThere(c.T) })
		} else if failed := c.Fails(t, func() { n.expectThere(c.T) }); failed == nil || !strings.Contains(failed.Text, want) {
			t.Errorf("%+v does not say %q", failed, want)
		}
	}
}

// The next check came hours after the eviction: the API server had deleted its event, and the case waited for it.
func TestEvictionBeforeItsEventWasDeleted(t *testing.T) {
	c := harnesstest.New(t, spec.Meta{ID: "upgrade/x"}, &harness.Env{})
	tainted := time.Now().Add(-2 * time.Hour).Truncate(time.Second)
	n := Notes{Round: 1, Answers: map[string]string{taintedAt: tainted.Format(time.RFC3339)}}
	c.Succeeds(t, func() {
		if got := awaitEviction(c.T, &n); !got.Equal(tainted.Add(tolerated)) {
			t.Errorf("evicted at %s, tainted at %s", got, tainted)
		}
	})
}

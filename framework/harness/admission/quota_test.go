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

package admission

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWaitUsed(t *testing.T) {
	used := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "quota", Namespace: harnesstest.Namespace}}
	used.Status.Used = corev1.ResourceList{"pods": resource.MustParse("2")}
	for _, tc := range []struct {
		name    string
		want    map[corev1.ResourceName]int64
		message []string // parts of the failure; none means no failure
	}{
		{"as it should be", map[corev1.ResourceName]int64{"pods": 2}, nil},
		{"more", map[corev1.ResourceName]int64{"pods": 1}, []string{"report map[pods:1] as used", "last seen: map[pods:2]"}},
		{"something else", map[corev1.ResourceName]int64{"pods": 2, "x": 0}, []string{"last seen: map[pods:2]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, used)
			if tc.message == nil {
				f.Succeeds(t, func() { WaitUsed(f.T, "quota", tc.want) })
				return
			}
			failed := f.Fails(t, func() { WaitUsed(f.T, "quota", tc.want) })
			if failed == nil {
				t.Fatal("no failure")
			}
			for _, part := range tc.message {
				if !strings.Contains(failed.Text, part) {
					t.Errorf("missing %q in: %s", part, failed.Text)
				}
			}
		})
	}
}

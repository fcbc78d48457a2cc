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

package matrix

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestCordon(t *testing.T) {
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	for _, away := range []bool{true, false, false} {
		if err := cordon(t.Context(), client, "n", away); err != nil {
			t.Fatal(err)
		}
		node, err := client.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil || node.Spec.Unschedulable != away {
			t.Errorf("unschedulable is %t, want %t: %v", node.Spec.Unschedulable, away, err)
		}
	}
	if err := cordon(t.Context(), client, "gone", true); err == nil {
		t.Error("no error for a node that is not there")
	}
}

func TestCellOfTheSkew(t *testing.T) {
	report := schema.Report{Summary: schema.Summary{Verdict: schema.Failed, Failed: 1}, Cases: []schema.Case{{ID: "a", Status: spec.Failed}, {ID: "b", Status: spec.Passed}}}
	if got := cell(report); got.Detected || !slices.Equal(got.Missed, []string{"a"}) || got.Problem != "" {
		t.Errorf("got %+v", got)
	}
	report.Summary.Verdict = schema.Incomplete
	if got := cell(report); got.Detected || got.Problem == "" {
		t.Errorf("got %+v", got)
	}
	if got := cell(schema.Report{Summary: schema.Summary{Verdict: schema.Passed}}); !got.Detected {
		t.Errorf("got %+v", got)
	}
	if p := SkewProof(); len(p.Trials) != 4 || p.Trials[3].ID != together {
		t.Errorf("got %v", p.Trials)
	}
}

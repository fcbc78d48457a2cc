package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestCasesThatStartProgramsHaveMoreTime(t *testing.T) {
	metas := []spec.Meta{{ID: "quiet"}, {ID: "classic", Needs: spec.Needs{Classic: true}}, {ID: "fabric", Needs: spec.Needs{Composable: true}}, {ID: "whatif", Needs: spec.Needs{WhatIf: true}}}
	for _, row := range []struct {
		cases []string
		want  bool
	}{
		{[]string{"quiet"}, false}, {[]string{"quiet", "classic"}, true}, {[]string{"fabric"}, true}, {[]string{"whatif"}, true},
	} {
		if got := starting(metas, row.cases); got != row.want {
			t.Errorf("%v: got %t", row.cases, got)
		}
	}
}

func TestProgramsThatCasesStartAreNotSwitched(t *testing.T) {
	for id, want := range map[string]bool{
		"scheduler-x": true, "controllers-x": true, "kubelet-x": true,
		"scheduler-classic-x": false, "classic-x": false, "fabric-x": false, "whatif-x": false,
	} {
		if got := (Mutant{ID: id}).ofCluster(); got != want {
			t.Errorf("%s: got %t", id, got)
		}
	}
}

func TestNodesThatCasesHaveLeftAreRemoved(t *testing.T) {
	ours := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	client := fake.NewClientset(node("dratest-a-new-1", ours), node("dratest-a-new-2", nil), node("node-0", ours))
	if err := removeNodes(t.Context(), client, metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}); err != nil {
		t.Fatal(err)
	}
	list, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, n := range list.Items {
		left = append(left, n.Name)
	}
	if diff := cmp.Diff([]string{"dratest-a-new-2", "node-0"}, left); diff != "" {
		t.Error(diff)
	}
}

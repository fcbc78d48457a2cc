package testbed

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
)

func ours(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy}}
}

func TestSweepRemovesOnlyWhatIsLabelled(t *testing.T) {
	client := fake.NewClientset(
		&corev1.Namespace{ObjectMeta: ours("dratest-a")},
		&corev1.Namespace{ObjectMeta: ours("dratest-system")},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "dratest-theirs"}},
		&resourceapi.DeviceClass{ObjectMeta: ours("a")},
		&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}},
		&resourceapi.DeviceTaintRule{ObjectMeta: ours("a")},
		&resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "their-rule"}},
	)
	if err := sweep(t.Context(), client, "dratest-system"); err != nil {
		t.Fatal(err)
	}
	var left []string
	namespaces, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range namespaces.Items {
		left = append(left, n.Name)
	}
	classes, err := client.ResourceV1().DeviceClasses().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range classes.Items {
		left = append(left, c.Name)
	}
	rules, err := client.ResourceV1().DeviceTaintRules().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.Items {
		left = append(left, r.Name)
	}
	slices.Sort(left)
	if d := cmp.Diff([]string{"dratest-system", "dratest-theirs", "their-rule", "theirs"}, left); d != "" {
		t.Error(d)
	}
}

func TestSweepNamesWhatDoesNotGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := metav1.Now()
		stuck := &corev1.Namespace{ObjectMeta: ours("dratest-stuck")}
		stuck.DeletionTimestamp, stuck.Finalizers = &now, []string{"kubernetes"}
		client := fake.NewClientset(stuck, &resourceapi.DeviceClass{ObjectMeta: ours("a")})
		err := sweep(t.Context(), client, "dratest-system")
		if err == nil || !strings.Contains(err.Error(), "dratest-stuck") {
			t.Errorf("got %v", err)
		}
		if classes, _ := client.ResourceV1().DeviceClasses().List(t.Context(), metav1.ListOptions{}); len(classes.Items) != 0 {
			t.Errorf("left behind: %v", classes.Items)
		}
	})
}

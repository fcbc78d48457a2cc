package testbed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// A pod that was to wait for a class was tried again for the slices of drivers of 17 cases that
// had failed before, so that a scheduler without hints for classes went unnoticed.
func TestStraysAreDriversOfCasesThatAreOver(t *testing.T) {
	slice := func(driver string) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver}, Spec: resourceapi.ResourceSliceSpec{Driver: driver}}
	}
	client := fake.NewClientset(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "dratest-b2c4d"}},
		slice("class-appears-b2c4d.dra-conformance.github.io"),
		slice("first-available-zb967.dra-conformance.github.io"),
		slice("seen-1-zb967.dra-conformance.github.io"),
		slice("standalone.dra-conformance.github.io"),
		slice("gpu.example.com"),
	)
	got, err := strays(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"first-available-zb967.dra-conformance.github.io", "seen-1-zb967.dra-conformance.github.io"}, got); d != "" {
		t.Error(d)
	}
}

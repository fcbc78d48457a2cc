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

package sampledriver_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// newDriver has nodes a, b and c; a and b are labeled rack=1.
func newDriver(t *testing.T, config sampledriver.Config) *sampledriver.Driver {
	t.Helper()
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for name, rack := range map[string]string{"a": "1", "b": "1", "c": "2"} {
		if err := nodes.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"rack": rack}}}); err != nil {
			t.Fatal(err)
		}
	}
	objects := dynamicfake.NewSimpleDynamicClient(scheme.Scheme,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "user"}, Data: map[string]string{"a": "b", "userLimit": "2"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "wrong"}, Data: map[string]string{"userLimit": "0"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "optional"}, Data: map[string]string{"a": "b", "optional": "true"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "slow"}, Data: map[string]string{"allocateTakes": "1ms", "failAllocate": "2"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "never"}, Data: map[string]string{"failAllocate": "always"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "late"}, Data: map[string]string{"allocateTakes": "long"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "unsure"}, Data: map[string]string{"optional": "perhaps"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "admin"}, Data: map[string]string{"c": "d", "userLimit": "-1"}},
		gadget("gadget", map[string]any{"a": "b", "userLimit": int64(3), "optional": true, "sizes": []any{int64(1), int64(2)}}),
		gadget("wrong", map[string]any{"userLimit": 1.5}), gadget("flat", "text"),
	)
	kinds := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}},
		{GroupVersion: "example.com/v1", APIResources: []metav1.APIResource{{Name: "gadgets", Kind: "Gadget", Namespaced: true}}},
	}}}
	driver, err := sampledriver.New(config, parametersref.New(objects, kinds), corelisters.NewNodeLister(nodes))
	if err != nil {
		t.Fatal(err)
	}
	return driver
}

// gadget is an object of a driver-specific kind.
func gadget(name string, spec any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": map[string]any{"namespace": "ns", "name": name}, "spec": spec,
	}}
}

func claim(uid string) *controller.Claim {
	return &controller.Claim{
		Claim: &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: uid, UID: types.UID(uid)}},
		Class: &v1alpha1.ResourceClass{}, PodClaim: uid,
	}
}

// allocate reads parameters, allocates and returns the device, its nodes and the limit.
func allocate(t *testing.T, d controller.Driver, c *controller.Claim, node string) string {
	t.Helper()
	var err error
	if c.Parameters, err = d.Parameters(context.Background(), c); err != nil {
		return err.Error()
	}
	a, err := d.Allocate(t.Context(), c, node)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s/%s %v %d", a.Devices[0].Pool, a.Devices[0].Device, a.Nodes != nil, a.UserLimit)
}

func record(uid string) *v1alpha1.ClassicClaim {
	return &v1alpha1.ClassicClaim{Spec: v1alpha1.ClassicClaimSpec{ClaimUID: types.UID(uid)}}
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDevicesOfNodes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	config := sampledriver.Config{Devices: 1, StateFile: file}
	d := newDriver(t, config)
	want(t, allocate(t, d, claim("c1"), "b"), "b/device-0 true 0")
	want(t, allocate(t, d, claim("c2"), "b"), "no device is free")
	want(t, allocate(t, d, claim("c2"), ""), "a/device-0 true 0")
	d = newDriver(t, config) // The result is the same after a crash.
	want(t, allocate(t, d, claim("c1"), "b"), "b/device-0 true 0")
	unsuitable, err := d.UnsuitableNodes(t.Context(), nil, []*controller.Claim{claim("c3")}, []string{"a", "b", "c", "gone"})
	if err != nil || !slices.Equal(unsuitable["c3"], []string{"a", "b", "gone"}) {
		t.Errorf("unsuitable %v, %v", unsuitable, err)
	}
	for range 2 {
		if err := d.Deallocate(t.Context(), record("c1")); err != nil {
			t.Error(err)
		}
	}
	want(t, allocate(t, newDriver(t, config), claim("c3"), "b"), "b/device-0 true 0")
}

// Two claims of a pod need two devices of a node.
func TestUnsuitableForBothClaims(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 2})
	want(t, allocate(t, d, claim("c1"), "a"), "a/device-0 true 0")
	unsuitable, err := d.UnsuitableNodes(t.Context(), nil, []*controller.Claim{claim("c2"), claim("c3")}, []string{"a", "b"})
	if err != nil || !slices.Equal(unsuitable["c2"], []string{"a"}) || !slices.Equal(unsuitable["c3"], []string{"a"}) {
		t.Errorf("unsuitable %v, %v", unsuitable, err)
	}
}

func TestDevicesInTheNetwork(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 2, Network: true, Nodes: "rack=1", Refuse: []string{"b"}})
	want(t, allocate(t, d, claim("c1"), "c"), `node "c" cannot have devices of this driver`)
	want(t, allocate(t, d, claim("c1"), "b"), `node "b" cannot have devices of this driver`)
	want(t, allocate(t, d, claim("c1"), "a"), "network/device-0 true 0")
	want(t, allocate(t, d, claim("c2"), ""), "network/device-1 true 0")
	want(t, allocate(t, newDriver(t, sampledriver.Config{Devices: 1, Network: true}), claim("c1"), "c"), "network/device-0 false 0")
}

func TestParameters(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 9})
	c := claim("c1")
	c.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "user"}
	c.Class.ParametersRef = &v1alpha1.ClassParametersReference{Kind: "ConfigMap", Namespace: "system", Name: "admin"}
	want(t, allocate(t, d, c, "a"), "a/device-0 true 2")
	a, err := d.Allocate(t.Context(), c, "a")
	if err != nil {
		t.Fatal(err)
	}
	want(t, a.Handle, `{"device":"a/device-0","environment":{"admin_c":"d","user_a":"b"}}`)
	c.Config.ParametersRef = nil
	want(t, allocate(t, d, c, "a"), "a/device-0 true -1")
	c.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "wrong"}
	want(t, allocate(t, d, c, "a"), `configmap wrong: userLimit must be positive, or -1 for no limit, got "0"`)
	c.Config.ParametersRef.Name = "unsure"
	want(t, allocate(t, d, c, "a"), `configmap unsure: optional must be true or false, got "perhaps"`)
	c.Config.ParametersRef.Name = "missing"
	want(t, allocate(t, d, c, "a"), `read parameters: configmaps "missing" not found`)
	c.Config.ParametersRef.Kind = "Gadget"
	want(t, allocate(t, d, c, "a"), `read parameters: the API server has no kind Gadget in group "": install its definition, or correct parametersRef: no matches for kind "Gadget" in group ""`)
}

// Non-string fields count as in a ConfigMap, or are passed on as JSON.
func TestParametersOfAnotherKind(t *testing.T) {
	d, c := newDriver(t, sampledriver.Config{Devices: 1}), claim("c1")
	c.Config.ParametersRef = &v1alpha1.ClaimParametersReference{APIGroup: "example.com", Kind: "Gadget", Name: "gadget"}
	want(t, allocate(t, d, c, "a"), "a/device-0 true 3")
	a, err := d.Allocate(t.Context(), c, "a")
	if err != nil {
		t.Fatal(err)
	}
	want(t, a.Handle, `{"device":"a/device-0","environment":{"user_a":"b","user_sizes":"[1,2]"}}`)
	c.Config.ParametersRef.Name = "wrong"
	want(t, allocate(t, d, c, "a"), `gadget wrong: userLimit must be positive, or -1 for no limit, got "1.5"`)
	c.Config.ParametersRef.Name = "flat"
	want(t, allocate(t, d, c, "a"), `gadget flat: read spec: .spec accessor error: text is of the type string, expected map[string]interface{}`)
}

// A claim with an optional device gets one while available.
func TestOptionalDevice(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 1})
	optional := func(uid string) *controller.Claim {
		c := claim(uid)
		c.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "optional"}
		return c
	}
	want(t, allocate(t, d, optional("c1"), "a"), "a/device-0 true 0")
	without := optional("c2")
	var err error
	if without.Parameters, err = d.Parameters(t.Context(), without); err != nil {
		t.Fatal(err)
	}
	a, err := d.Allocate(t.Context(), without, "a")
	if err != nil || len(a.Devices) > 0 || a.Nodes != nil || a.Handle != `{"environment":{"user_a":"b"}}` {
		t.Errorf("got %+v, %v", a, err)
	}
	unsuitable, err := d.UnsuitableNodes(t.Context(), nil, []*controller.Claim{without}, []string{"a", "gone"})
	if err != nil || !slices.Equal(unsuitable["c2"], []string{"gone"}) {
		t.Errorf("unsuitable %v, %v", unsuitable, err)
	}
	want(t, allocate(t, d, claim("c3"), "a"), "no device is free")
}

// A crashed controller did not record an attempt holding a device; the next attempt was for a full
// node, and the first device was leaked.
func TestOptionalClaimKeepsNothingElsewhere(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 1})
	want(t, allocate(t, d, claim("full"), "b"), "b/device-0 true 0")
	optional := claim("c1")
	optional.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "optional"}
	want(t, allocate(t, d, optional, "a"), "a/device-0 true 0")
	if a, err := d.Allocate(t.Context(), optional, "b"); err != nil || len(a.Devices) > 0 {
		t.Errorf("got %+v, %v", a, err)
	}
	want(t, allocate(t, d, claim("c2"), "a"), "a/device-0 true 0")
}

func TestFailuresOnPurpose(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 1, FailAllocate: 1, FailDeallocate: -1})
	want(t, allocate(t, d, claim("c1"), "a"), "allocating fails on purpose")
	want(t, allocate(t, d, claim("c1"), "a"), "a/device-0 true 0")
	for range 2 {
		if err := d.Deallocate(t.Context(), record("c1")); err == nil || !strings.Contains(err.Error(), "on purpose") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := sampledriver.New(sampledriver.Config{Devices: -1, Nodes: "a in ("}, nil, nil); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v", err)
	}
}

// Unsaved changes do not take effect.
func TestStateThatCannotBeSaved(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 1, StateFile: filepath.Join(t.TempDir(), "missing", "state.json")})
	for range 2 {
		if got := allocate(t, d, claim("c1"), "a"); !strings.Contains(got, "write the state") {
			t.Errorf("got %s", got)
		}
	}
}

// Parameters make a claim fail at first, and again when it is reallocated.
func TestClaimThatFailsAtFirst(t *testing.T) {
	d, c := newDriver(t, sampledriver.Config{Devices: 1}), claim("u1")
	c.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "slow"}
	for range 2 {
		want(t, allocate(t, d, c, "a"), "allocating the claim fails on purpose, 1 times of 2")
		want(t, allocate(t, d, claim("u2"), "b"), "b/device-0 true 0")
		if err := d.Deallocate(t.Context(), record("u1")); err != nil { // of an abandoned attempt
			t.Error(err)
		}
		want(t, allocate(t, d, c, "a"), "allocating the claim fails on purpose, 2 times of 2")
		want(t, allocate(t, d, c, "a"), "a/device-0 true 0")
		if err := d.Deallocate(t.Context(), record("u1")); err != nil {
			t.Error(err)
		}
	}
	c.Config.ParametersRef.Name = "never"
	want(t, allocate(t, d, c, "a"), `configmap never: failAllocate must be a number that is not negative, got "always"`)
	c.Config.ParametersRef.Name = "late"
	want(t, allocate(t, d, c, "a"), `configmap late: allocateTakes must be a time as in 2s, got "long"`)
}

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

package whatif_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
	"github.com/dra-conformance/dratest/implementation/classic/whatif"
)

const (
	driverName = "driver.example.com"
	namespace  = "ns"
)

// world has the objects of a test; claims are of the class "example", or of their own.
type world struct {
	whatif.Objects

	config sampledriver.Config
	age    int
}

func newWorld(devices int, nodes ...string) *world {
	w := &world{config: sampledriver.Config{Devices: devices}}
	for _, name := range nodes {
		w.Nodes = append(w.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}}})
	}
	w.class("example", driverName)
	w.class("foreign", "other.example.com")
	return w
}

func (w *world) class(name, driver string) *v1alpha1.ResourceClass {
	class := &v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: v1alpha1.DriverName(driver)}
	w.Classes = append(w.Classes, class)
	device := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	device.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: opaque("ClassConfig", `"resourceClassName":"`+name+`"`)}}
	w.DeviceClasses = append(w.DeviceClasses, device)
	return class
}

func opaque(kind, fields string) resourceapi.DeviceConfiguration {
	o := &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
	o.Parameters.Raw = fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,%s}`, v1alpha1.GroupVersion(), kind, fields)
	return resourceapi.DeviceConfiguration{Opaque: o}
}

// meta makes each object a second older than the next.
func (w *world) meta(name string) metav1.ObjectMeta {
	w.age++
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(time.Unix(int64(w.age), 0))}
}

func (w *world) claim(name, class, config string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: w.meta(name)}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class}}}
	if config != "" {
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: opaque("ClaimConfig", config)}}
	}
	w.Claims = append(w.Claims, claim)
	return claim
}

// pod returns a pod with existing claims, or claims created here.
func (w *world) pod(name string, claims ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: w.meta(name)}
	for _, c := range claims {
		known := false
		for _, has := range w.Claims {
			known = known || has.Name == c
		}
		if !known {
			w.claim(c, "example", "")
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: ptr.To(c)})
	}
	w.Pods = append(w.Pods, pod)
	return pod
}

// expect compares placements with lines like "pod: node device,device" and "pod: - reason".
func (w *world) expect(t *testing.T, want ...string) {
	t.Helper()
	two := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "two"}, Data: map[string]string{"userLimit": "2"}}
	configMaps := &metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}}
	objects := parametersref.New(dynamicfake.NewSimpleDynamicClient(scheme.Scheme, two),
		&fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{configMaps}}})
	driver, err := sampledriver.New(w.config, objects, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.expectOf(t, driver, want...)
}

func (w *world) expectOf(t *testing.T, driver controller.Simulator, want ...string) {
	t.Helper()
	placements, err := whatif.Place(t.Context(), driverName, driver, w.Objects)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range placements {
		line := p.Pod.Name + ": - " + p.Reason
		if p.Node != "" {
			var devices []string
			for _, c := range p.Claims {
				for _, r := range c.Status.Allocation.Devices.Results {
					devices = append(devices, r.Pool+"/"+r.Device)
				}
			}
			line = fmt.Sprintf("%s: %s %s", p.Pod.Name, p.Node, strings.Join(devices, ","))
		}
		if len(p.Others) > 0 {
			line += " not asked: " + strings.Join(p.Others, ",")
		}
		got = append(got, line)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// One node has to serve all claims of a pod: one free device on each of two nodes does not help.
func TestClaimsOfAPodTogether(t *testing.T) {
	w := newWorld(3, "a", "b")
	w.pod("one", "c1", "c2")
	w.pod("two", "c3", "c4")
	w.pod("three", "c5", "c6")
	w.pod("four", "c7")
	w.expect(t,
		"one: a a/device-0,a/device-1",
		"two: b b/device-0,b/device-1",
		"three: - 2 nodes, none serves: 2: the driver cannot allocate all claims",
		"four: a a/device-2")
}

func TestOrder(t *testing.T) {
	w := newWorld(1, "a")
	w.pod("old", "c1")
	w.pod("urgent", "c2").Spec.Priority = ptr.To[int32](10)
	w.pod("gated", "c3").Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "gate"}}
	w.pod("bound", "c4").Spec.NodeName = "a"
	w.pod("ended", "c5").Status.Phase = corev1.PodFailed
	w.pod("without")
	w.expect(t, "urgent: a a/device-0", "old: - 1 nodes, none serves: 1: the driver cannot allocate all claims")
}

// A claim is allocated once for all its users, up to its limit.
func TestSharedClaim(t *testing.T) {
	w := newWorld(1, "a", "b")
	w.claim("shared", "example", `"parametersRef":{"kind":"ConfigMap","name":"two"}`)
	w.pod("one", "shared")
	w.pod("two", "shared")
	w.pod("three", "shared")
	w.pod("four", "c4", "shared")
	w.expect(t, "one: a a/device-0", "two: a a/device-0",
		"three: - resource claim shared: the claim has as many users as it may have",
		"four: - resource claim shared: the claim has as many users as it may have")
}

func TestNodesOfAPod(t *testing.T) {
	w := newWorld(1, "a", "b", "c", "d")
	w.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
	w.Nodes[3].Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectPreferNoSchedule}}
	w.class("some", driverName).SuitableNodes = selects("c", "d")
	w.claim("c1", "some", "")
	w.pod("one", "c1")
	w.pod("two", "c2").Spec.NodeSelector = map[string]string{"name": "d"}
	w.claim("c3", "some", "")
	w.pod("three", "c3")
	w.pod("four", "c4").Spec.Tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}}
	w.expect(t, "one: c c/device-0", "two: d d/device-0",
		"three: - 4 nodes, none serves: 1: resource class some does not suit the node, 1: the node has a taint that the pod does not tolerate, 2: the driver cannot allocate all claims",
		"four: a a/device-0")
}

func selects(names ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "name", Operator: corev1.NodeSelectorOpIn, Values: names}}}}}
}

// Allocated claims tie their pods to nodes, whoever allocated them; claims for others to allocate
// are listed.
func TestClaimsOfOthers(t *testing.T) {
	w := newWorld(1, "a", "b")
	w.claim("allocated", "foreign", "").Status.Allocation = &resourceapi.AllocationResult{NodeSelector: selects("b")}
	w.claim("foreign", "foreign", "")
	w.claim("unknown", "missing", "")
	w.pod("one", "c1", "allocated", "foreign", "unknown")
	w.pod("two", "c2", "allocated")
	w.pod("not ours", "foreign")
	w.expect(t, "one: b b/device-0 not asked: foreign,unknown",
		"two: - 2 nodes, none serves: 1: a claim is allocated elsewhere, 1: the driver cannot allocate all claims")
}

// Claims with immediate allocation take devices before pods do.
func TestImmediateClaims(t *testing.T) {
	w := newWorld(1, "a", "b")
	w.pod("one", "c1")
	w.claim("first", "example", `"allocationMode":"Immediate"`)
	w.pod("two", "first")
	w.claim("second", "example", `"allocationMode":"Immediate"`)
	w.claim("third", "example", `"allocationMode":"Immediate"`)
	w.pod("three", "third")
	w.expect(t, "one: - 2 nodes, none serves: 2: the driver cannot allocate all claims",
		"two: a a/device-0", "three: - resource claim third: no device is free")
}

func TestWhatIsMissingOrWrong(t *testing.T) {
	w := newWorld(1, "a")
	w.pod("one", "c1").Spec.ResourceClaims[0] = corev1.PodResourceClaim{Name: "entry", ResourceClaimTemplateName: ptr.To("template")}
	w.pod("two", "c2", "c3").Spec.ResourceClaims[1] = corev1.PodResourceClaim{Name: "entry", ResourceClaimName: ptr.To("none")}
	w.claim("missing", "example", `"parametersRef":{"kind":"ConfigMap","name":"missing"}`)
	w.pod("three", "missing")
	w.claim("mistake", "example", `"allocationMode":"Never"`)
	w.pod("four", "mistake")
	w.pod("five", "deleted")
	w.Claims[len(w.Claims)-1].DeletionTimestamp = ptr.To(metav1.Now())
	w.expect(t, "two: - the claim of entry entry is not there yet",
		`three: - resource claim missing: read parameters: read parameters: configmaps "missing" not found`,
		`four: - resource claim mistake: configuration 0: allocationMode "Never" is neither Immediate nor WaitForFirstConsumer`,
		"five: - resource claim deleted: it is being deleted")
	w = newWorld(1)
	w.pod("one", "c1")
	w.expect(t, "one: - there are no nodes")
}

// half is a driver reporting all nodes as suitable but failing to allocate the claim "second" on
// node a.
type half struct{ controller.Driver }

func (h half) Simulate(ctx context.Context, nodes []*corev1.Node) (controller.Driver, error) {
	d, err := h.Driver.(controller.Simulator).Simulate(ctx, nodes)
	return half{d}, err
}

func (h half) UnsuitableNodes(context.Context, *corev1.Pod, []*controller.Claim, []string) (map[string][]string, error) {
	return nil, nil
}

func (h half) Allocate(ctx context.Context, claim *controller.Claim, node string) (*controller.Allocation, error) {
	if claim.Claim.Name == "second" && node == "a" {
		return nil, fmt.Errorf("not on node %s", node)
	}
	return h.Driver.Allocate(ctx, claim, node)
}

// A partly failed attempt on a node leaves nothing behind.
func TestDriverFailsHalfWay(t *testing.T) {
	w := newWorld(2, "a", "b")
	w.pod("pair", "first", "second")
	w.pod("one", "c1", "c2")
	w.pod("last", "c3")
	driver, err := sampledriver.New(w.config, nil, nil) // no claim has parameters
	if err != nil {
		t.Fatal(err)
	}
	w.expectOf(t, half{driver}, "pair: b b/device-0,b/device-1", "one: a a/device-0,a/device-1",
		"last: - 2 nodes, none serves: 2: no device is free")
}

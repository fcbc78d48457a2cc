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

package classicdra

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// Kinds of objects, in the plural.
const (
	podSchedulings = "podschedulings"
	classicClaims  = "classicclaims"
)

// kind is the client for objects of a kind in the case's namespace.
func (c *DRA) kind(plural string) dynamic.ResourceInterface {
	return c.client.Resource(classicKind(plural)).Namespace(c.t.Namespace)
}

func classicKind(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: Group, Version: Version, Resource: plural}
}

// Kinds returns the kinds of the API groups of classic DRA and of claims, as discovery reports them.
func (c *DRA) Kinds() []string {
	ginkgo.GinkgoHelper()
	var kinds []string
	for _, version := range []string{Group + "/" + Version, resourceapi.SchemeGroupVersion.String()} {
		served, err := c.t.Client.Discovery().ServerResourcesForGroupVersion(version)
		c.t.NoError(err, "ask for the kinds of %s", version)
		for _, r := range served.APIResources {
			if !strings.Contains(r.Name, "/") { // subresources have the kind, too
				kinds = append(kinds, r.Kind)
			}
		}
	}
	return kinds
}

// Class creates a ResourceClass of the driver and a DeviceClass for it, and returns the name of
// both. change may add to the ResourceClass; the suffix distinguishes classes of a driver.
func (p *Program) Class(suffix string, change func(class map[string]any)) string {
	ginkgo.GinkgoHelper()
	name := p.Name() + suffix
	p.ResourceClass(name, change)
	p.c.DeviceClass(name, name)
	return name
}

// ResourceClass creates a ResourceClass of the driver.
func (p *Program) ResourceClass(name string, change func(class map[string]any)) {
	ginkgo.GinkgoHelper()
	class := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Group + "/" + Version, "kind": harness.ResourceClass, "driverName": p.Name(),
	}}
	if change != nil {
		change(class.Object)
	}
	class.SetName(name)
	p.c.t.Create(class)
}

// ChangeResourceClass changes a ResourceClass.
func (c *DRA) ChangeResourceClass(name string, change func(class map[string]any)) {
	ginkgo.GinkgoHelper()
	classes := c.client.Resource(classicKind("resourceclasses"))
	c.t.Step("change resource class %s", name)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		class, err := classes.Get(c.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(class.Object)
		_, err = classes.Update(c.t.Context(), class, metav1.UpdateOptions{})
		return err
	})
	c.t.NoError(err, "change resource class %s", name)
}

// CreatePodScheduling creates a PodScheduling with a selected node, as a scheduler would for the
// owner.
func (c *DRA) CreatePodScheduling(pod string, owner *corev1.Pod, node string) {
	ginkgo.GinkgoHelper()
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Group + "/" + Version, "kind": "PodScheduling",
		"spec": map[string]any{"selectedNode": node, "potentialNodes": []any{node}},
	}}
	made.SetName(pod)
	made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("Pod"))})
	c.t.Create(made)
}

// DeviceClass creates a DeviceClass for a ResourceClass.
func (c *DRA) DeviceClass(name, resourceClass string) {
	ginkgo.GinkgoHelper()
	c.t.Create(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{objects.Selector("false")},
		Config:    []resourceapi.DeviceClassConfiguration{ClassConfig(resourceClass)},
	}})
}

// Pod returns a pod for the case's scheduler and nodes with these claims, under their own names.
func (c *DRA) Pod(name string, claims ...string) *corev1.Pod {
	pod := objects.OnlyOn(objects.Pod(name, c.t.Image, claims...), c.t.Nodes...)
	pod.Spec.SchedulerName = c.Scheduler.Name()
	return pod
}

// WaitPodScheduling waits until ok holds for the PodScheduling of a pod, nil if there is none.
func (c *DRA) WaitPodScheduling(pod, what string, ok func(*PodScheduling) bool) *PodScheduling {
	ginkgo.GinkgoHelper()
	var last *PodScheduling
	c.t.Poll("PodScheduling "+pod+" to be "+what, func(ctx context.Context) (bool, string, error) {
		object, err := c.read(ctx, podSchedulings, pod)
		if err != nil {
			return false, "", err
		}
		if last = nil; object != nil {
			last = podSchedulingOf(object)
		}
		return ok(last), fmt.Sprintf("%+v", last), nil
	})
	return last
}

// WaitClassicClaim waits until ok holds for the record of a claim, nil if there is none.
func (c *DRA) WaitClassicClaim(claim, what string, ok func(*ClassicClaim) bool) *ClassicClaim {
	ginkgo.GinkgoHelper()
	var last *ClassicClaim
	c.t.Poll("record of claim "+claim+" to be "+what, func(ctx context.Context) (bool, string, error) {
		object, err := c.read(ctx, classicClaims, claim)
		if err != nil {
			return false, "", err
		}
		if last = nil; object != nil {
			last = classicClaimOf(object)
		}
		return ok(last), fmt.Sprintf("%+v", last), nil
	})
	return last
}

// read returns nil for a missing object.
func (c *DRA) read(ctx context.Context, plural, name string) (*unstructured.Unstructured, error) {
	object, err := c.kind(plural).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

func podSchedulingOf(o *unstructured.Unstructured) *PodScheduling {
	s := &PodScheduling{UnsuitableNodes: map[string][]string{}}
	for _, owner := range o.GetOwnerReferences() {
		s.Owner = string(owner.UID)
	}
	// Missing fields and fields of another type are empty.
	s.PotentialNodes, _, _ = unstructured.NestedStringSlice(o.Object, "spec", "potentialNodes")
	s.SelectedNode, _, _ = unstructured.NestedString(o.Object, "spec", "selectedNode")
	answers, _, _ := unstructured.NestedSlice(o.Object, "status", "resourceClaims")
	for _, a := range answers {
		answer, _ := a.(map[string]any)
		name, _, _ := unstructured.NestedString(answer, "name")
		s.UnsuitableNodes[name], _, _ = unstructured.NestedStringSlice(answer, "unsuitableNodes")
	}
	return s
}

func classicClaimOf(o *unstructured.Unstructured) *ClassicClaim {
	c := &ClassicClaim{}
	c.Driver, _, _ = unstructured.NestedString(o.Object, "spec", "driverName")
	c.Mode, _, _ = unstructured.NestedString(o.Object, "spec", "allocationMode")
	c.Node, _, _ = unstructured.NestedString(o.Object, "spec", "selectedNode")
	c.DeallocationRequested, _, _ = unstructured.NestedBool(o.Object, "spec", "deallocationRequested")
	c.Phase, _, _ = unstructured.NestedString(o.Object, "status", "phase")
	c.Handle, _, _ = unstructured.NestedString(o.Object, "status", "resourceHandle")
	c.UserLimit, _, _ = unstructured.NestedInt64(o.Object, "status", "userLimit")
	return c
}

// gather adds the ends of the programs' logs and the objects of classic DRA to the evidence.
func (c *DRA) gather(ctx context.Context, e *harness.Evidence) {
	for _, p := range c.programs {
		log, err := os.ReadFile(filepath.Join(c.logs, p.what.Log))
		e.Problem("log of "+p.Name(), err)
		if err == nil {
			e.File(p.what.Log, log[max(0, len(log)-harness.MaxLog):])
		}
	}
	for _, plural := range []string{podSchedulings, classicClaims} {
		list, err := c.kind(plural).List(ctx, metav1.ListOptions{})
		e.Problem(plural, err)
		if err == nil {
			e.Object(filepath.Join("objects", plural+".yaml"), list)
		}
	}
}

// WaitReleased waits until a claim has no reservations.
func (c *DRA) WaitReleased(claim string) {
	ginkgo.GinkgoHelper()
	c.t.WaitClaim(claim, "reserved for nobody", func(r *resourceapi.ResourceClaim) bool { return len(r.Status.ReservedFor) == 0 })
}

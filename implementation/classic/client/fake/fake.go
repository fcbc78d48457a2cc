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

package fake

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

// Client is an in-memory client.Interface.
type Client struct {
	*clienttesting.Fake
	tracker clienttesting.ObjectTracker
}

// New returns a client of an API server holding objects. It fails for objects that cannot be
// stored.
func New(objects ...runtime.Object) (*Client, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("set up types: %w", err)
	}
	c := &Client{&clienttesting.Fake{}, clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())}
	c.AddReactor("*", "*", clienttesting.ObjectReaction(c.tracker))
	if err := apitest.Serve(c.Fake, c.tracker, objects...); err != nil {
		return nil, fmt.Errorf("store objects: %w", err)
	}
	c.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		created(action.(clienttesting.CreateAction).GetObject())
		return false, nil, nil
	})
	c.PrependReactor("update", "*", c.update)
	return c, nil
}

// IsWatchListSemanticsUnSupported makes informers list first.
func (c *Client) IsWatchListSemanticsUnSupported() bool { return true }

// created drops the status of a new object, like the API server.
func created(object runtime.Object) {
	switch o := object.(type) {
	case *v1alpha1.PodScheduling:
		o.Generation, o.Status = 1, v1alpha1.PodSchedulingStatus{}
	case *v1alpha1.ClassicClaim:
		o.Generation, o.Status = 1, v1alpha1.ClassicClaimStatus{}
	}
}

// update preserves the parts a write does not change.
func (c *Client) update(action clienttesting.Action) (bool, runtime.Object, error) {
	update := action.(clienttesting.UpdateAction)
	status := update.GetSubresource() == "status"
	switch o := update.GetObject().(type) {
	case *v1alpha1.PodScheduling:
		stored, err := c.tracker.Get(action.GetResource(), o.Namespace, o.Name)
		if err != nil {
			return true, nil, err
		}
		old := stored.(*v1alpha1.PodScheduling)
		o.Spec, o.Status = pick(status, old.Spec, o.Spec), pick(status, o.Status, old.Status)
		o.Generation = generation(old.Generation, old.Spec, o.Spec)
	case *v1alpha1.ClassicClaim:
		stored, err := c.tracker.Get(action.GetResource(), o.Namespace, o.Name)
		if err != nil {
			return true, nil, err
		}
		old := stored.(*v1alpha1.ClassicClaim)
		o.Spec, o.Status = pick(status, old.Spec, o.Spec), pick(status, o.Status, old.Status)
		o.Finalizers = pick(status, slices.Clone(old.Finalizers), o.Finalizers)
		o.Generation = generation(old.Generation, old.Spec, o.Spec)
	}
	return false, nil, nil
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func generation(last int64, old, spec any) int64 {
	if apiequality.Semantic.DeepEqual(old, spec) {
		return last
	}
	return last + 1
}

// ResourceClasses implements client.Interface.
func (c *Client) ResourceClasses() client.Objects[*v1alpha1.ResourceClass, *v1alpha1.ResourceClassList] {
	return gentype.NewFakeClientWithList(c.Fake, "", resource("resourceclasses"), kind("ResourceClass"),
		func() *v1alpha1.ResourceClass { return &v1alpha1.ResourceClass{} },
		func() *v1alpha1.ResourceClassList { return &v1alpha1.ResourceClassList{} },
		func(to, from *v1alpha1.ResourceClassList) { to.ListMeta = from.ListMeta },
		func(list *v1alpha1.ResourceClassList) []*v1alpha1.ResourceClass {
			return gentype.ToPointerSlice(list.Items)
		},
		func(list *v1alpha1.ResourceClassList, items []*v1alpha1.ResourceClass) {
			list.Items = gentype.FromPointerSlice(items)
		})
}

// PodSchedulings implements client.Interface.
func (c *Client) PodSchedulings(namespace string) client.Objects[*v1alpha1.PodScheduling, *v1alpha1.PodSchedulingList] {
	return gentype.NewFakeClientWithList(c.Fake, namespace, resource("podschedulings"), kind("PodScheduling"),
		func() *v1alpha1.PodScheduling { return &v1alpha1.PodScheduling{} },
		func() *v1alpha1.PodSchedulingList { return &v1alpha1.PodSchedulingList{} },
		func(to, from *v1alpha1.PodSchedulingList) { to.ListMeta = from.ListMeta },
		func(list *v1alpha1.PodSchedulingList) []*v1alpha1.PodScheduling {
			return gentype.ToPointerSlice(list.Items)
		},
		func(list *v1alpha1.PodSchedulingList, items []*v1alpha1.PodScheduling) {
			list.Items = gentype.FromPointerSlice(items)
		})
}

// ClassicClaims implements client.Interface.
func (c *Client) ClassicClaims(namespace string) client.Objects[*v1alpha1.ClassicClaim, *v1alpha1.ClassicClaimList] {
	return gentype.NewFakeClientWithList(c.Fake, namespace, resource("classicclaims"), kind("ClassicClaim"),
		func() *v1alpha1.ClassicClaim { return &v1alpha1.ClassicClaim{} },
		func() *v1alpha1.ClassicClaimList { return &v1alpha1.ClassicClaimList{} },
		func(to, from *v1alpha1.ClassicClaimList) { to.ListMeta = from.ListMeta },
		func(list *v1alpha1.ClassicClaimList) []*v1alpha1.ClassicClaim {
			return gentype.ToPointerSlice(list.Items)
		},
		func(list *v1alpha1.ClassicClaimList, items []*v1alpha1.ClassicClaim) {
			list.Items = gentype.FromPointerSlice(items)
		})
}

func resource(name string) schema.GroupVersionResource {
	return v1alpha1.GroupVersion().WithResource(name)
}

func kind(name string) schema.GroupVersionKind { return v1alpha1.GroupVersion().WithKind(name) }

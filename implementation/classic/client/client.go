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

package client

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Interface is a client of all objects of classic DRA. An empty namespace means all.
type Interface interface {
	ResourceClasses() Objects[*v1alpha1.ResourceClass, *v1alpha1.ResourceClassList]
	PodSchedulings(namespace string) Objects[*v1alpha1.PodScheduling, *v1alpha1.PodSchedulingList]
	ClassicClaims(namespace string) Objects[*v1alpha1.ClassicClaim, *v1alpha1.ClassicClaimList]
}

// Objects is a client of objects of a kind. UpdateStatus only writes the status, Update everything
// else; kinds without a status only have Update.
type Objects[T, L any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	UpdateStatus(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

type client struct {
	rest  rest.Interface
	codec runtime.ParameterCodec
}

// New returns a client of an API server. It fails for an invalid configuration.
func New(config *rest.Config) (Interface, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("set up types of %s: %w", v1alpha1.GroupName, err)
	}
	config = rest.CopyConfig(config)
	version := v1alpha1.GroupVersion()
	config.GroupVersion, config.APIPath = &version, "/apis"
	// Custom resources have no protobuf.
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	r, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make client of %s: %w", v1alpha1.GroupName, err)
	}
	return &client{r, runtime.NewParameterCodec(scheme)}, nil
}

// ResourceClasses implements Interface.
func (c *client) ResourceClasses() Objects[*v1alpha1.ResourceClass, *v1alpha1.ResourceClassList] {
	return gentype.NewClientWithList("resourceclasses", c.rest, c.codec, "",
		func() *v1alpha1.ResourceClass { return &v1alpha1.ResourceClass{} },
		func() *v1alpha1.ResourceClassList { return &v1alpha1.ResourceClassList{} })
}

// PodSchedulings implements Interface.
func (c *client) PodSchedulings(namespace string) Objects[*v1alpha1.PodScheduling, *v1alpha1.PodSchedulingList] {
	return gentype.NewClientWithList("podschedulings", c.rest, c.codec, namespace,
		func() *v1alpha1.PodScheduling { return &v1alpha1.PodScheduling{} },
		func() *v1alpha1.PodSchedulingList { return &v1alpha1.PodSchedulingList{} })
}

// ClassicClaims implements Interface.
func (c *client) ClassicClaims(namespace string) Objects[*v1alpha1.ClassicClaim, *v1alpha1.ClassicClaimList] {
	return gentype.NewClientWithList("classicclaims", c.rest, c.codec, namespace,
		func() *v1alpha1.ClassicClaim { return &v1alpha1.ClassicClaim{} },
		func() *v1alpha1.ClassicClaimList { return &v1alpha1.ClassicClaimList{} })
}

// Informer returns an informer of objects of a kind; example defines the type. owner is the
// Interface of objects: a fake declares there that it cannot stream lists.
func Informer[T runtime.Object, L runtime.Object](owner Interface, objects Objects[T, L], example T) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, options)
		},
	}, owner), example, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

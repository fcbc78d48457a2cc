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

package parametersref

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// Reader reads objects of any kind. It discovers kinds at first use, and again for an unknown kind.
type Reader struct {
	client dynamic.Interface
	mapper meta.ResettableRESTMapperWithContext
}

// New returns a reader.
func New(client dynamic.Interface, kinds discovery.DiscoveryInterface) *Reader {
	cached := memory.NewMemCacheClientWithContext(discovery.ToDiscoveryInterfaceWithContext(kinds))
	return &Reader{client, restmapper.NewDeferredDiscoveryRESTMapperWithContext(cached)}
}

// OfClass returns the object referenced by a claim's class, or nil, in the API server's preferred
// version. Errors are for the user: no such kind or object, a forbidden read, or a namespace
// missing or not allowed in the reference.
func (r *Reader) OfClass(ctx context.Context, claim *controller.Claim) (*unstructured.Unstructured, error) {
	ref := claim.Class.ParametersRef
	if ref == nil {
		return nil, nil
	}
	return r.get(ctx, schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}, ref.Namespace, ref.Name)
}

// OfClaim returns the object referenced by the claim itself, from its namespace, like OfClass for
// its class.
func (r *Reader) OfClaim(ctx context.Context, claim *controller.Claim) (*unstructured.Unstructured, error) {
	ref := claim.Config.ParametersRef
	if ref == nil {
		return nil, nil
	}
	return r.get(ctx, schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}, claim.Claim.Namespace, ref.Name)
}

func (r *Reader) get(ctx context.Context, kind schema.GroupKind, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := r.try(ctx, kind, namespace, name)
	if outdated(err) {
		r.mapper.ResetWithContext(ctx)
		object, err = r.try(ctx, kind, namespace, name)
	}
	switch {
	case meta.IsNoMatchError(err):
		return nil, fmt.Errorf("the API server has no kind %s in group %q: install its definition, or correct parametersRef: %w", kind.Kind, kind.Group, err)
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("the driver may not read kind %s of group %q: add a rule to its role, or name another object: %w", kind.Kind, kind.Group, err)
	}
	return object, err
}

func (r *Reader) try(ctx context.Context, kind schema.GroupKind, namespace, name string) (*unstructured.Unstructured, error) {
	mapping, err := r.mapper.RESTMappingWithContext(ctx, kind)
	if err != nil {
		return nil, err
	}
	switch namespaced := mapping.Scope.Name() == meta.RESTScopeNameNamespace; {
	case namespaced && namespace == "":
		return nil, fmt.Errorf("objects of kind %s are in namespaces: parametersRef has to name one", kind.Kind)
	case !namespaced && namespace != "":
		return nil, fmt.Errorf("objects of kind %s are in no namespace: only a class can name one, without a namespace", kind.Kind)
	}
	return r.client.Resource(mapping.Resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// outdated reports whether discovery may be stale: a kind is unknown or was not found.
func outdated(err error) bool {
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

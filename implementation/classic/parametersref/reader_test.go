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

package parametersref_test

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
)

const group = "gadgets.example.com"

// server has ConfigMaps, namespaced Gadgets and cluster-scoped Sites, with one object each.
type server struct {
	*parametersref.Reader
	objects *dynamicfake.FakeDynamicClient
	kinds   *fakediscovery.FakeDiscovery
}

func newServer() *server {
	s := &server{
		objects: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(),
			object("v1", "ConfigMap", "ns"), object(group+"/v1", "Gadget", "ns"), object(group+"/v1", "Site", "")),
		kinds: &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{
			{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}},
			{GroupVersion: group + "/v1", APIResources: []metav1.APIResource{{Name: "gadgets", Kind: "Gadget", Namespaced: true}, {Name: "sites", Kind: "Site"}}},
		}}},
	}
	s.Reader = parametersref.New(s.objects, s.kinds)
	return s
}

func object(version, kind, namespace string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(version)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName("there")
	return o
}

// ofClass returns the kind or error of the object read for a claim whose class references it,
// ofClaim for a claim in the namespace "ns" with its own reference.
func (s *server) ofClass(t *testing.T, group, kind, namespace string) string {
	t.Helper()
	class := &v1alpha1.ResourceClass{ParametersRef: &v1alpha1.ClassParametersReference{APIGroup: group, Kind: kind, Namespace: namespace, Name: "there"}}
	return text(s.OfClass(t.Context(), &controller.Claim{Class: class}))
}

func (s *server) ofClaim(t *testing.T, group, kind, name string) string {
	t.Helper()
	claim := &controller.Claim{Claim: &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}}}
	claim.Config.ParametersRef = &v1alpha1.ClaimParametersReference{APIGroup: group, Kind: kind, Name: name}
	return text(s.OfClaim(t.Context(), claim))
}

func text(found *unstructured.Unstructured, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case found == nil:
		return "none"
	}
	return found.GetKind()
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestObjectsOfAnyKind(t *testing.T) {
	s := newServer()
	want(t, s.ofClaim(t, "", "ConfigMap", "there"), "ConfigMap")
	want(t, s.ofClaim(t, group, "Gadget", "there"), "Gadget")
	want(t, s.ofClaim(t, group, "Gadget", "missing"), `gadgets.gadgets.example.com "missing" not found`)
	want(t, s.ofClass(t, group, "Gadget", "ns"), "Gadget")
	want(t, s.ofClass(t, group, "Site", ""), "Site")
	none := &controller.Claim{Class: &v1alpha1.ResourceClass{}}
	want(t, text(s.OfClass(t.Context(), none)), "none")
	want(t, text(s.OfClaim(t.Context(), none)), "none")
}

// Users can only reference objects in the claim's namespace.
func TestNamespacesThatDoNotFit(t *testing.T) {
	s := newServer()
	want(t, s.ofClaim(t, group, "Site", "there"), "objects of kind Site are in no namespace: only a class can name one")
	want(t, s.ofClass(t, group, "Site", "ns"), "objects of kind Site are in no namespace")
	want(t, s.ofClass(t, group, "Gadget", ""), "objects of kind Gadget are in namespaces: parametersRef has to name one")
}

func TestAnErrorSaysWhatToDo(t *testing.T) {
	s := newServer()
	want(t, s.ofClaim(t, "example.com", "Widget", "there"), `the API server has no kind Widget in group "example.com": install its definition, or correct parametersRef`)
	s.objects.PrependReactor("get", "gadgets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: "gadgets"}, "there", nil)
	})
	want(t, s.ofClaim(t, group, "Gadget", "there"), `the driver may not read kind Gadget of group "gadgets.example.com": add a rule to its role, or name another object: gadgets.gadgets.example.com "there" is forbidden`)
}

// client-go's mapper never refreshes its cache, so a kind installed after the driver's first claim
// would have been unknown until a restart.
func TestAKindThatComesLater(t *testing.T) {
	s := newServer()
	later := s.kinds.Resources
	s.kinds.Resources = later[:1]
	want(t, s.ofClaim(t, "", "ConfigMap", "there"), "ConfigMap")
	want(t, s.ofClaim(t, group, "Gadget", "there"), "no kind Gadget")
	s.kinds.Resources = later
	want(t, s.ofClaim(t, group, "Gadget", "there"), "Gadget")
}

// A definition was deleted and recreated with another version; the old path returns NotFound.
func TestAKindThatMoved(t *testing.T) {
	s := newServer()
	want(t, s.ofClaim(t, group, "Gadget", "there"), "Gadget")
	s.kinds.Resources[1].GroupVersion = group + "/v2"
	if err := s.objects.Tracker().Add(object(group+"/v2", "Gadget", "ns")); err != nil {
		t.Fatal(err)
	}
	s.objects.PrependReactor("get", "gadgets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetResource().Version != "v1" {
			return false, nil, nil
		}
		return true, nil, apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{Group: group, Resource: "gadgets"}, "there", "404 page not found", 0, true)
	})
	want(t, s.ofClaim(t, group, "Gadget", "there"), "Gadget")
	asked := len(s.kinds.Actions())
	want(t, s.ofClaim(t, group, "Gadget", "missing"), `"missing" not found`)
	if more := len(s.kinds.Actions()) - asked; more > 0 {
		t.Errorf("for an object that is missing the kinds are asked for %d times", more)
	}
}

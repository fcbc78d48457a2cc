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

package api

import (
	"errors"
	"maps"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeSlices creates, reads, changes and deletes slices as a kubelet. Slices for all or selected nodes, or with nodes
// per device, are forbidden.
var NodeSlices = harness.Case{Meta: spec.Meta{
	ID:       "api/node-slices",
	Checks:   "A kubelet may create, get, watch, update and delete slices of its own node, and no others.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-writes-own-slices"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	node := t.Namespace + "-node" // There is none of this name.
	slice := func(suffix string, nodes func(*resourceapi.ResourceSliceSpec)) *resourceapi.ResourceSlice {
		s := objects.NetworkSlice(t.Namespace+suffix, driver, t.Namespace, resourceapi.Device{Name: "device"})
		s.Spec.AllNodes = nil
		nodes(&s.Spec)
		return s
	}
	of := func(name string) func(*resourceapi.ResourceSliceSpec) {
		return func(s *resourceapi.ResourceSliceSpec) { s.NodeName = &name }
	}
	all := func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(true) }
	selected := func(s *resourceapi.ResourceSliceSpec) {
		s.NodeSelector = objects.Nodes(node)
	}
	byDevice := func(s *resourceapi.ResourceSliceSpec) {
		s.PerDeviceNodeSelection, s.Devices[0].NodeName = ptr.To(true), &node
	}
	own, other, network := slice("-own", of(node)), slice("-other", of(t.Namespace)), slice("-network", all)
	t.Create(own, other, network)

	client := asNode(t, node).ResourceV1().ResourceSlices()
	write := create(t, client)
	t.NoError(write(slice("-new", of(node))), "create a slice of the node as the node")
	answers := map[string]error{
		"create a slice of another node": write(slice("-new", of(t.Namespace))), "create a slice for all nodes": write(slice("-new", all)),
		"create a slice for selected nodes": write(slice("-new", selected)), "create a slice with a device on the node": write(slice("-new", byDevice)),
	}

	t.Step("read, change and delete slices as the node")
	byName := metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorNodeName + "=" + node}
	elsewhere := metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorNodeName + "=" + t.Namespace}
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	one := func(name string) map[string]error {
		stored, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), name, metav1.GetOptions{})
		t.NoError(err, "get slice %s", name)
		_, err = client.Get(t.Context(), name, metav1.GetOptions{})
		return map[string]error{"get": err, "update": update(t, client)(stored), "delete": client.Delete(t.Context(), name, dry)}
	}
	allowed(t, "the node's slice, to be read, changed and deleted", func() error { return errors.Join(slices.Collect(maps.Values(one(own.Name)))...) })
	watch := func(options metav1.ListOptions) error {
		events, err := client.Watch(t.Context(), options)
		if err == nil {
			events.Stop()
		}
		return err
	}
	t.NoError(watch(byName), "watch the node's slices as the node")
	for what, s := range map[string]*resourceapi.ResourceSlice{"another node": other, "all nodes": network} {
		for verb, err := range one(s.Name) {
			answers[verb+" the slice of "+what] = err
		}
	}
	answers["watch all"], answers["watch another node's"] = watch(metav1.ListOptions{}), watch(elsewhere)
	answers["delete all"] = client.DeleteCollection(t.Context(), dry, metav1.ListOptions{})
	answers["delete another node's"] = client.DeleteCollection(t.Context(), dry, elsewhere)
	t.NoError(client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, byName), "delete all of the node's slices as the node")
	for what, err := range answers {
		t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "%s as the node, to be forbidden: %v", what, err)
	}
	_, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), own.Name, metav1.GetOptions{})
	t.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "the node's slice, to be gone: %v", err)
	for _, s := range []*resourceapi.ResourceSlice{other, network} {
		_, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), s.Name, metav1.GetOptions{})
		t.NoError(err, "get slice %s of others after the node has deleted all of its own", s.Name)
	}
}}

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
	"encoding/json"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceSelectors lists and watches slices by their fields.
var SliceSelectors = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-selectors",
	Checks:   "Slices are listed and watched by node name, by driver, by both and by name.",
	Requires: []spec.RequirementID{"kep-4381/slice-field-selectors"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	createForSelectors(t)
	selectsByFields(t, "v1")

	t.Step("list by a field without an index")
	_, err := t.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{FieldSelector: "spec.allNodes=true"})
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("field label not supported")), "an unsupported selector")
}}

// SliceSelectorsVersions does so in older versions of the API.
var SliceSelectorsVersions = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-selectors-versions",
	Checks:   "In each beta version slices are listed and watched by node name, by driver, by both and by name.",
	Requires: []spec.RequirementID{"kep-4381/slice-field-selectors", "kep-4381/same-in-all-versions"},
	Needs:    spec.Needs{NoNode: true, APIs: []string{"v1beta2"}},
}, Run: func(t *harness.T) {
	createForSelectors(t)
	for _, version := range betas(t.Target().ResourceAPIs) {
		selectsByFields(t, version)
	}
}}

// createForSelectors creates slices of two drivers on two unique nodes.
func createForSelectors(t *harness.T) {
	this, other := t.Namespace, t.Namespace+"-other"
	for node, name := range []string{this, other} {
		for driver, of := range []string{this, other} {
			s := objects.NetworkSlice(fmt.Sprintf("%s-%d%d", this, node, driver), of, "pool", resourceapi.Device{Name: "device"})
			s.Spec.AllNodes, s.Spec.NodeName = nil, &name
			t.Create(s)
		}
	}
}

func selectsByFields(t *harness.T, version string) {
	this := t.Namespace
	node, by := resourceapi.ResourceSliceSelectorNodeName+"="+this, resourceapi.ResourceSliceSelectorDriver+"="+this
	selects(t, version, node, this+"-00", this+"-01")
	selects(t, version, by, this+"-00", this+"-10")
	selects(t, version, node+","+by, this+"-00")
	selects(t, version, metav1.ObjectNameField+"="+this+"-00", this+"-00")
}

// SlicePoolSelector lists and watches slices by the name of their pool.
var SlicePoolSelector = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-pool-selector",
	Checks:   "Slices are listed and watched by the name of their pool, without those of other pools.",
	Requires: []spec.RequirementID{"resource-v1/slice-pool-selector"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37"},
}, Run: func(t *harness.T) { selectsByPool(t, "v1") }}

// SlicePoolSelectorVersions does so in older versions of the API.
var SlicePoolSelectorVersions = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-pool-selector-versions",
	Checks:   "In each beta version slices are listed and watched by the name of their pool, without those of other pools.",
	Requires: []spec.RequirementID{"resource-v1/slice-pool-selector", "kep-4381/same-in-all-versions"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", APIs: []string{"v1beta2"}},
}, Run: func(t *harness.T) { selectsByPool(t, betas(t.Target().ResourceAPIs)...) }}

func selectsByPool(t *harness.T, versions ...string) {
	for _, suffix := range []string{"-00", "-01", "-10", "-11"} {
		t.Create(objects.NetworkSlice(t.Namespace+suffix, driver, t.Namespace+suffix[:2], resourceapi.Device{Name: "device"}))
	}
	for _, version := range versions {
		selects(t, version, resourceapi.ResourceSliceSelectorPoolName+"="+t.Namespace+"-0", t.Namespace+"-00", t.Namespace+"-01")
	}
}

// selects fails the case unless a list and a watch in a version by these fields return exactly these slices.
func selects(t *harness.T, version, fields string, names ...string) {
	t.Step("list and watch slices of %s by %s", version, fields)
	ask := func() *rest.Request {
		return t.Client.ResourceV1().RESTClient().Get().AbsPath("/apis", group, version, "resourceslices").Param("fieldSelector", fields)
	}
	body, err := ask().Do(t.Context()).Raw()
	t.NoError(err, "list slices of %s by %s", version, fields)
	var list metav1.PartialObjectMetadataList
	t.NoError(json.Unmarshal(body, &list), "read the list of slices")
	var listed []string
	for _, s := range list.Items {
		listed = append(listed, s.Name)
	}
	slices.Sort(listed)
	t.Expect(listed).To(gomega.Equal(names), "the slices in the list of %s by %s", version, fields)

	// The slice selected by all selectors is changed last, after all others.
	events, err := ask().Param("watch", "true").Param("resourceVersion", list.ResourceVersion).Stream(t.Context())
	t.NoError(err, "watch slices of %s by %s", version, fields)
	defer func() { _ = events.Close() }()
	for _, suffix := range []string{"-11", "-10", "-01", "-00"} {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"changed-for":"%s-%d"}}}`, version, len(fields))
		_, err := t.Client.ResourceV1().ResourceSlices().Patch(t.Context(), t.Namespace+suffix, types.MergePatchType, patch, metav1.PatchOptions{})
		t.NoError(err, "change a label of slice %s", t.Namespace+suffix)
	}
	var watched []string
	for decoder := json.NewDecoder(events); ; {
		var event struct {
			Type   string
			Object metav1.PartialObjectMetadata
		}
		t.NoError(decoder.Decode(&event), "read the watch of slices of %s by %s, after %v", version, fields, watched)
		if event.Type == string(watch.Error) {
			t.Fatalf("the watch of slices of %s by %s ended with an error, after %v", version, fields, watched)
		}
		watched = append(watched, event.Object.Name)
		if event.Object.Name == t.Namespace+"-00" {
			slices.Sort(watched)
			t.Expect(watched).To(gomega.Equal(names), "the slices in the watch of %s by %s", version, fields)
			return
		}
	}
}

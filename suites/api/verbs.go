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
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Verbs uses each verb on the kinds of every release: deletion by name and by label, all four patch
// types, and a watch reporting each change in order.
var Verbs = harness.Case{Meta: spec.Meta{
	ID:       "api/verbs",
	Checks:   "Claims, templates, classes and slices support all verbs and patch types, and claim status is written by itself.",
	Requires: []spec.RequirementID{"kep-4381/every-verb"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	api := t.Client.ResourceV1()
	useVerbs(t, "ResourceClaim", api.ResourceClaims(t.Namespace), api.ResourceClaims(""), validClaim)
	useVerbs(t, "ResourceClaimTemplate", api.ResourceClaimTemplates(t.Namespace), api.ResourceClaimTemplates(""), func() *resourceapi.ResourceClaimTemplate {
		return objects.Template("template", validClaim())
	})
	useVerbs(t, "DeviceClass", api.DeviceClasses(), api.DeviceClasses(), validClass)
	useVerbs(t, "ResourceSlice", api.ResourceSlices(), api.ResourceSlices(), func() *resourceapi.ResourceSlice { return onlyOn(t, validSlice()) })

	t.Create(objects.Claim("status", objects.Request("req", "class")))
	edit.ClaimStatus(t, "status", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = allocation("device-0") })
	patchStatus(t, "resourceclaims", "ResourceClaim", "status", "reservedFor", "uid", consumer)
}}

// VerbsOfRules uses each verb on DeviceTaintRules.
var VerbsOfRules = harness.Case{Meta: spec.Meta{
	ID:       "api/verbs-of-rules",
	Checks:   "DeviceTaintRules support all verbs, and their status is written by itself.",
	Requires: []spec.RequirementID{"kep-5055/rule-every-verb"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	rules := t.Client.ResourceV1().DeviceTaintRules()
	harmless := func() *resourceapi.DeviceTaintRule { // of a missing driver
		return objects.TaintRule(t.Namespace, t.Namespace, resourceapi.DeviceTaint{Key: "key", Effect: resourceapi.DeviceTaintEffectNone})
	}
	useVerbs(t, "DeviceTaintRule", rules, rules, harmless)

	t.Create(harmless())
	patchStatus(t, "devicetaintrules", "DeviceTaintRule", t.Namespace, "conditions", "type", condition)
}}

// verbs is the common interface of all kinds' typed clients.
type verbs[O harness.Object, L list] interface {
	updater[O]
	Get(ctx context.Context, name string, options metav1.GetOptions) (O, error)
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, how types.PatchType, patch []byte, options metav1.PatchOptions, subresources ...string) (O, error)
	DeleteCollection(ctx context.Context, options metav1.DeleteOptions, which metav1.ListOptions) error
}

type list interface {
	runtime.Object
	metav1.ListInterface
}

// patchKinds are the patch types by their names in this file.
var patchKinds = map[string]types.PatchType{
	"strategic": types.StrategicMergePatchType, "merge": types.MergePatchType, "json": types.JSONPatchType, "apply": types.ApplyPatchType,
}

// use holds the state of the verbs on one kind. all lists the objects of all namespaces.
type use[O harness.Object, L list] struct {
	t           *harness.T
	kind        string
	client, all verbs[O, L]
	// name is the name of the changed object.
	name string
	// want are the expected events of a watch, each with the step of the object.
	want []string
}

// The labels of useVerbs' objects: labelVerbs is the label to list and watch by, and labelStep the last change of the
// object.
const labelVerbs, labelStep = "verbs", "step"

// useVerbs uses each verb on objects of a kind; valid returns a new one. A bystander shows that a deletion by label
// leaves the others.
func useVerbs[O harness.Object, L list](t *harness.T, kind string, client, all verbs[O, L], valid func() O) {
	u := use[O, L]{t: t, kind: kind, client: client, all: all, name: t.Namespace + "-1"}
	create := func(name string) O {
		o := valid()
		o.SetName(name)
		o.SetLabels(map[string]string{labelVerbs: t.Namespace, labelStep: "created"})
		t.Create(o)
		u.want = append(u.want, "ADDED created")
		return o
	}
	t.Step("watch each %s with a label, and use each verb on them", kind)
	none, version := u.listed(all)
	t.Expect(none).To(gomega.BeEmpty(), "each %s with a new label", kind)
	seen, err := all.Watch(t.Context(), metav1.ListOptions{LabelSelector: u.selector(), ResourceVersion: version})
	t.NoError(err, "watch each %s", kind)
	defer seen.Stop()

	first := create(u.name)
	u.patch()
	u.update()
	for _, from := range []verbs[O, L]{client, all} {
		names, _ := u.listed(from)
		t.Expect(names).To(gomega.ConsistOf(u.name), "each %s with the label", kind)
	}
	t.Delete(first)
	u.want = append(u.want, "DELETED updated")

	create(t.Namespace + "-2")
	create(t.Namespace + "-3")
	bystander := valid()
	bystander.SetName(t.Namespace + "-bystander")
	t.Create(bystander)
	t.NoError(client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: u.selector()}), "delete each %s with the label", kind)
	u.want = append(u.want, "DELETED created", "DELETED created")
	left, _ := u.listed(all)
	t.Expect(left).To(gomega.BeEmpty(), "each %s with the label after all were deleted", kind)
	_, err = client.Get(t.Context(), bystander.GetName(), metav1.GetOptions{})
	t.NoError(err, "get %s %s without the label after all with the label were deleted", kind, bystander.GetName())
	waitEvents(t, kind, seen, u.want)
}

func (u *use[O, L]) selector() string { return labelVerbs + "=" + u.t.Namespace }

// listed returns the names of the objects with the label, and the version of the list.
func (u *use[O, L]) listed(from verbs[O, L]) (names []string, version string) {
	all, err := from.List(u.t.Context(), metav1.ListOptions{LabelSelector: u.selector()})
	u.t.NoError(err, "list each %s with a label", u.kind)
	u.t.NoError(meta.EachListItem(all, func(o runtime.Object) error {
		names = append(names, o.(metav1.Object).GetName())
		return nil
	}), "read the list of each %s", u.kind)
	return names, all.GetResourceVersion()
}

// patch changes the object with each patch type.
func (u *use[O, L]) patch() {
	for _, how := range []string{"strategic", "merge", "json", "apply"} {
		merged := fmt.Sprintf(`"metadata":{"labels":{%q:%q}}}`, labelStep, how)
		patch, options := "{"+merged, metav1.PatchOptions{}
		switch how {
		case "json":
			patch = fmt.Sprintf(`[{"op":"replace","path":"/metadata/labels/%s","value":%q}]`, labelStep, how)
		case "apply":
			patch = fmt.Sprintf(`{"apiVersion":"%s/v1","kind":%q,%s`, group, u.kind, merged)
			options = metav1.PatchOptions{FieldManager: "verbs", Force: ptr.To(true)}
		}
		o, err := u.client.Patch(u.t.Context(), u.name, patchKinds[how], []byte(patch), options)
		u.changed(how, o, err)
	}
}

// update changes the object as a whole.
func (u *use[O, L]) update() {
	var updated O
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // a controller may write the status
		now, err := u.client.Get(u.t.Context(), u.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		now.GetLabels()[labelStep] = "updated"
		updated, err = u.client.Update(u.t.Context(), now, metav1.UpdateOptions{})
		return err
	})
	u.changed("updated", updated, err)
}

// changed expects the change in the answer and in a new read.
func (u *use[O, L]) changed(to string, o O, err error) {
	u.t.NoError(err, "change the %s: %s", u.kind, to)
	now, err := u.client.Get(u.t.Context(), u.name, metav1.GetOptions{})
	u.t.NoError(err, "get the %s", u.kind)
	want := gomega.And(gomega.HaveKeyWithValue(labelVerbs, u.t.Namespace), gomega.HaveKeyWithValue(labelStep, to))
	u.t.Expect(o.GetLabels()).To(want, "labels of the %s in the answer to the change %s", u.kind, to)
	u.t.Expect(now.GetLabels()).To(want, "labels of the %s read after the change %s", u.kind, to)
	u.want = append(u.want, "MODIFIED "+to)
}

// reported waits for the events of a watch, each with the step of its object. Changes by others, like controllers, keep
// the step and are ignored.
func waitEvents(t *harness.T, kind string, seen watch.Interface, want []string) {
	var got []string
	t.Poll(fmt.Sprintf("the watch of each %s to tell: %s", kind, strings.Join(want, ", ")), func(context.Context) (bool, string, error) {
		for {
			select {
			case e, open := <-seen.ResultChan():
				if !open {
					return false, "", fmt.Errorf("the watch has ended after %q", got)
				}
				o, ok := e.Object.(metav1.Object)
				if !ok {
					return false, "", fmt.Errorf("the watch tells of a %T: %v", e.Object, e.Object)
				}
				value := o.GetLabels()[labelStep]
				if e.Type == watch.Modified && slices.ContainsFunc(got, func(event string) bool { return strings.HasSuffix(event, " "+value) }) {
					continue
				}
				got = append(got, fmt.Sprintf("%s %s", e.Type, value))
			default:
				return slices.Equal(got, want), strings.Join(got, ", "), nil
			}
		}
	})
}

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

package gather

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/dra-conformance/dratest/framework/audit"
)

// page is the number of objects per list request.
const page = 500

// group is DRA's.
const group = "resource.k8s.io"

// kinds are the reported kinds of the group, in index order.
var kinds = []string{"deviceclasses", "resourceslices", "resourceclaims", "resourceclaimtemplates", "devicetaintrules"} //nolint:gochecknoglobals // a table

type world struct {
	audit.World

	// podsUnknown is why not all pods were listed.
	podsUnknown error
	// version is the version of resource.k8s.io; empty if not served.
	version string
	kinds   []kind
}

type kind struct {
	name  string
	items []map[string]any
}

func list[L metav1.ListInterface, O any](ctx context.Context, read func(context.Context, metav1.ListOptions) (L, error), items func(L) []O) (all []O, err error) {
	options := metav1.ListOptions{Limit: page}
	for {
		l, err := read(ctx, options)
		if apierrors.IsResourceExpired(err) && options.Continue != "" { // reading took too long: all at once then
			options, all = metav1.ListOptions{}, nil
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, items(l)...)
		if options.Continue = l.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

func (g *gathering) read(ctx context.Context) (w world) {
	var err error
	w.Pods, w.podsUnknown = list(ctx, g.Client.CoreV1().Pods("").List, func(l *corev1.PodList) []corev1.Pod { return l.Items })
	g.missing("pods", w.podsUnknown)
	w.Nodes, err = list(ctx, g.Client.CoreV1().Nodes().List, func(l *corev1.NodeList) []corev1.Node { return l.Items })
	g.missing("nodes", err)
	version, served, err := g.served(ctx)
	g.missing(group, err)
	w.version = version
	for _, name := range kinds {
		if !slices.Contains(served, name) {
			continue
		}
		resource := schema.GroupVersionResource{Group: group, Version: version, Resource: name}
		objects, err := list(ctx, g.Dynamic.Resource(resource).List, func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items })
		g.missing(name, err)
		k := kind{name: name, items: []map[string]any{}}
		for _, o := range objects {
			k.items = append(k.items, o.Object)
		}
		w.kinds = append(w.kinds, k)
		if err := w.typed(k); err != nil {
			g.missing(name+", for the audit", err)
		}
	}
	return w
}

// served is the newest served version of resource.k8s.io, and its kinds.
func (g *gathering) served(ctx context.Context) (version string, resources []string, err error) {
	for _, version := range []string{"v1", "v1beta2", "v1beta1"} {
		l, err := discovery.ToDiscoveryInterfaceWithContext(g.Client.Discovery()).ServerResourcesForGroupVersionWithContext(ctx, group+"/"+version)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		for _, r := range l.APIResources {
			resources = append(resources, r.Name)
		}
		return version, resources, nil
	}
	return "", nil, errors.New("is not served: DRA is off in this cluster")
}

// typed converts objects of v1 for the audit.
func (w *world) typed(k kind) error {
	into := map[string]any{"deviceclasses": &w.Classes, "resourceslices": &w.Slices, "resourceclaims": &w.Claims}[k.name]
	if into == nil || w.version != "v1" {
		return nil
	}
	content, err := json.Marshal(k.items)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// names returns the names published anyway.
func (w world) names() map[string]bool {
	names := map[string]bool{group: true, group + "/" + w.version: true}
	for _, n := range w.Nodes {
		names[n.Name] = true
	}
	for _, p := range w.Pods {
		names[p.Name], names[p.Namespace] = true, true
		for _, c := range p.Spec.Containers {
			names[c.Name], names[c.Image] = true, true
		}
	}
	for _, k := range w.kinds {
		for _, o := range k.items {
			name, _, _ := unstructured.NestedString(o, "metadata", "name")
			driver, _, _ := unstructured.NestedString(o, "spec", "driver")
			pool, _, _ := unstructured.NestedString(o, "spec", "pool", "name")
			kind, _, _ := unstructured.NestedString(o, "kind")
			names[name], names[driver], names[pool], names[kind] = true, true, true, true
		}
	}
	return names
}

// judge audits the state, and again after a while: changes in between are no findings.
func (g *gathering) judge(ctx context.Context, w world) {
	if w.version != "v1" {
		g.missing("audit", fmt.Errorf("it reads resource.k8s.io/v1, the cluster has %q", w.version))
		return
	}
	found := check(w.World)
	if len(found) == 0 {
		g.findings(nil)
		return
	}
	g.Say("looking again at %d findings", len(found))
	select {
	case <-ctx.Done():
	case <-time.After(g.Again):
	}
	again := &gathering{Config: g.Config, scrub: g.scrub}
	second := again.read(ctx)
	for _, m := range again.Missing {
		g.missing("second look of the audit", errors.New(m))
	}
	g.findings(audit.Confirm(found, check(second.World)))
}

func check(w audit.World) []audit.Violation {
	return slices.Concat(audit.Devices(w.Claims, w.Slices), audit.Pods(w), audit.Settled(w))
}

type finding struct {
	Rule    audit.Rule `json:"rule"`
	Warning bool       `json:"warning,omitempty"`
	Text    string     `json:"text"`
	Objects []string   `json:"objects"`
}

func (g *gathering) findings(found []audit.Violation) {
	g.Violations = found
	reported := []finding{}
	for _, v := range found {
		f := finding{Rule: v.Rule, Warning: v.Rule.Warning(), Text: v.Text, Objects: []string{}}
		for _, o := range v.Evidence {
			f.Objects = append(f.Objects, fmt.Sprintf("%s %s/%s %s", kindOf(o), o.GetNamespace(), o.GetName(), o.GetUID()))
		}
		reported = append(reported, f)
	}
	content, err := json.MarshalIndent(reported, "", "  ")
	g.missing("audit.json", err)
	g.file("audit.json", append(content, '\n'))
}

// kindOf is an object's kind, missing in typed objects of lists.
func kindOf(o runtime.Object) string {
	switch o.(type) {
	case *corev1.Pod:
		return "Pod"
	default:
		return o.GetObjectKind().GroupVersionKind().Kind
	}
}

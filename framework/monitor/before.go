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

package monitor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// limit is the timeout for reading the whole cluster.
const limit = 30 * time.Second

// before has the objects existing before the run, by kind and name. Unreadable kinds are missing.
type before map[string]map[string]string

// existing reads the cluster, except for claims, known from the watch. Slices are left out: drivers replace them at will.
func (m *Monitor) existing(ctx context.Context) before {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	every, b := metav1.ListOptions{}, before{}
	nodes, err := m.client.CoreV1().Nodes().List(ctx, every)
	if m.readable("nodes", err) {
		read(b, "nodes", nodes.Items, func(n corev1.Node) (metav1.ObjectMeta, any) {
			// The node lifecycle controller's taints come and go.
			taints := slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return strings.HasPrefix(t.Key, "node.kubernetes.io/") })
			content := map[string]any{"labels": n.Labels, "taints": taints}
			if !m.config.Resumed {
				content["unschedulable"] = n.Spec.Unschedulable
			}
			return n.ObjectMeta, content
		})
	}
	classes, err := m.client.ResourceV1().DeviceClasses().List(ctx, every)
	if m.readable("deviceclasses", err) {
		read(b, "deviceclasses", classes.Items, func(c resourceapi.DeviceClass) (metav1.ObjectMeta, any) { return c.ObjectMeta, c.Spec })
	}
	return b
}

const claimsKind = "resourceclaims"

// claims adds the claims.
func (b before) claims(all map[types.UID]*resourceapi.ResourceClaim) {
	read(b, claimsKind, slices.Collect(maps.Values(all)), func(c *resourceapi.ResourceClaim) (metav1.ObjectMeta, any) { return c.ObjectMeta, nil })
}

// readable notes unreadable kinds.
func (m *Monitor) readable(what string, err error) bool {
	if err != nil {
		m.note("%s: %v", what, err)
	}
	return err == nil
}

// read adds the foreign objects of a kind, without the fields a run may change.
func read[T any](b before, kind string, objects []T, contents func(T) (metav1.ObjectMeta, any)) {
	b[kind] = map[string]string{}
	for _, o := range objects {
		m, content := contents(o)
		if m.Labels[spec.LabelManagedBy] == spec.ManagedBy || ours(m.Namespace) || m.Namespace == spec.SystemNamespace {
			continue
		}
		data, err := json.Marshal(content)
		if err != nil {
			data = nil // impossible for API types
		}
		b[kind][strings.TrimPrefix(m.Namespace+"/"+m.Name, "/")] = string(data)
	}
}

// compare returns changed and deleted objects.
func (b before) compare(now before) []observation {
	var all []observation
	for _, kind := range slices.Sorted(maps.Keys(b)) {
		if now[kind] == nil {
			continue
		}
		gone := observation{rule: spec.ObjectGone, about: kind}
		for _, name := range slices.Sorted(maps.Keys(b[kind])) {
			object, was := kind+"/"+name, b[kind][name]
			switch is, there := now[kind][name]; {
			case !there:
				gone.objects = append(gone.objects, object)
			case is != was:
				all = append(all, observation{
					rule: spec.ObjectChanged, about: object, objects: []string{object},
					text: fmt.Sprintf("%s was %s before the run and is %s", object, was, is),
				})
			}
		}
		if n := len(gone.objects); n > 0 {
			gone.text = fmt.Sprintf("%d of %d %s that were there before the run are gone, as %s", n, len(b[kind]), kind, gone.objects[0])
			all = append(all, gone)
		}
	}
	return all
}

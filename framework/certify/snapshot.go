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

package certify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// snapshot has the objects and node state not created by dratest, by name.
type snapshot map[string]thing

// thing is an object, or a file, socket or prepared claim of a node.
type thing struct {
	// digest is a digest of its content.
	digest string
	// whose determines how a change affects the verdict.
	whose owner
	// kind is shared by a thing and its replacement; empty if it is never replaced.
	kind string
}

type owner int

const (
	// others may change at any time.
	others owner = iota
	// ofRun is created by the driver or a kubelet for claims of the run, and must be removed.
	ofRun
	// ofDriver is required by the driver.
	ofDriver
	// renewed is recreated by a new process of the driver.
	renewed
)

func take(ctx context.Context, b *testbed.Testbed, d declarations.Declaration, nodes []string) (snapshot, error) {
	s := snapshot{}
	all := metav1.ListOptions{}
	resource := b.Client.ResourceV1()
	sliceList, err := resource.ResourceSlices().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list ResourceSlices: %w", err)
	}
	for _, o := range sliceList.Items {
		s.object("ResourceSlice", renewedIf(o.Spec.Driver == d.Driver), o.ObjectMeta, o.Spec)
	}
	claims, err := resource.ResourceClaims(metav1.NamespaceAll).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	view := nodeView{driver: d.Driver}
	for _, o := range claims.Items {
		if strings.HasPrefix(o.Namespace, harness.NamespacePrefix) {
			view.ofRun = append(view.ofRun, string(o.UID))
		} else {
			view.ofOthers = append(view.ofOthers, string(o.UID))
		}
		s.object("ResourceClaim", others, o.ObjectMeta, o.Spec, o.Status)
	}
	classes, err := resource.DeviceClasses().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list device classes: %w", err)
	}
	for _, o := range classes.Items {
		s.object("DeviceClass", others, o.ObjectMeta, o.Spec)
	}
	pods, err := b.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	for _, o := range pods.Items {
		s.object("Pod", renewedIf(ofDaemonSet(o, d.Deploy.DaemonSet)), o.ObjectMeta, o.UID, o.Spec.NodeName, o.Status.Phase, restarts(o))
	}
	list, err := b.Client.CoreV1().Nodes().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	for _, o := range list.Items {
		s.object("Node", others, o.ObjectMeta, o.Labels, o.Spec)
	}
	return s, s.takeNodes(ctx, b, view, nodes)
}

func renewedIf(is bool) owner {
	if is {
		return renewed
	}
	return others
}

// ofDaemonSet reports whether a pod belongs to a daemon set, "namespace/name".
func ofDaemonSet(p corev1.Pod, set string) bool {
	by := metav1.GetControllerOf(&p)
	return by != nil && by.Kind == "DaemonSet" && p.Namespace+"/"+by.Name == set
}

func restarts(p corev1.Pod) int32 {
	var n int32
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// object adds an object, unless it is dratest's.
func (s snapshot) object(kind string, whose owner, m metav1.ObjectMeta, parts ...any) {
	if m.Labels[spec.LabelManagedBy] == spec.ManagedBy || m.Namespace == spec.SystemNamespace || strings.HasPrefix(m.Namespace, harness.NamespacePrefix) {
		return
	}
	data, err := json.Marshal(parts)
	if err != nil {
		data = []byte(err.Error()) // impossible for API types
	}
	s[strings.TrimSuffix(kind+" "+strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"), "/")] = thing{digest: digest(data), whose: whose}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func (s snapshot) count(kind string) int {
	n := 0
	for _, t := range s {
		if t.whose == ofDriver && t.kind == kind {
			n++
		}
	}
	return n
}

// replaced reports whether missing things of a kind may have been replaced.
func replaced(kind string, before, after snapshot) bool {
	return kind != "" && before.count(kind) <= after.count(kind)
}

// changes returns the differences between two snapshots: leftovers and losses of the driver, changes possibly made by
// other users of the cluster, and changes explained by a restart of the driver.
func changes(before, after snapshot) (failures, notes, restarted []string) {
	note := func(t thing, text string) {
		if t.whose == ofDriver || t.whose == renewed {
			restarted = append(restarted, text)
			return
		}
		notes = append(notes, text)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was := before[name]
		switch now, there := after[name]; {
		case !there && was.whose == ofDriver && !replaced(was.kind, before, after):
			failures = append(failures, name+", which is the driver's, is gone")
		case !there:
			note(was, name+" is gone")
		case now.digest != was.digest:
			note(was, name+" has changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch _, there := before[name]; {
		case there:
		case after[name].whose == ofRun:
			failures = append(failures, "left behind: "+name)
		default:
			note(after[name], name+" is new")
		}
	}
	return failures, notes, restarted
}

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
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// draft is the template of a declaration. Values not visible in a cluster must be edited, and fail until then.
const draft = `# What a cluster shows of the driver; each EDIT has to be replaced.
apiVersion: {{.APIVersion}}
kind: {{.Kind}}
identity:
  organization: EDIT
  project: EDIT
  version: EDIT
driver: {{.Driver}}
classes:
# {{.Why}}
{{- range .Classes}}
- name: {{.Name}}
  devicesPerNode: {{.Devices}}
{{- end}}
{{- if .Features}}
features:
{{- range .Features}}
  {{.}}: true
{{- end}}
{{- end}}
workload:
  # An image with sh and sleep that the nodes have or can pull. Without this line, cases use busybox, as in clusters created by dratest.
  image: EDIT
  # Succeeds in a container that has a device, fails in others.
  present: [sh, -c, 'echo EDIT; false']
  # The other way round.
  absent: [sh, -c, 'echo EDIT; false']
  # Prints one line for each device, the same for the same device in each container.
  # identify: [sh, -c, 'EDIT']
{{- if .Tolerations}}
  # For the taints of the driver's nodes.
  template:
    tolerations:
{{- range .Tolerations}}
    - {key: {{printf "%q" .Key}}, operator: Exists, effect: {{.Effect}}}
{{- end}}
{{- end}}
{{- if .DaemonSet}}
deploy:
  daemonSet: {{.DaemonSet}}
{{- end}}
`

type draftClass struct {
	Name string
	// Devices is the minimum number on a node, total the number in the cluster.
	Devices, total int
}

// Init writes a declaration from a driver's state in a cluster. Errors: ErrNotThere if it publishes nothing, or no
// class selects its devices.
func Init(ctx context.Context, client kubernetes.Interface, driver string, workers []string) ([]byte, error) {
	sets, err := client.AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list daemon sets: %w", err)
	}
	d := declarations.Declaration{Driver: driver, Deploy: declarations.Deploy{DaemonSet: daemonSetOf(driver, sets.Items)}}
	w, err := discover(ctx, client, d, workers)
	if err != nil {
		return nil, err
	}
	tolerations, err := w.tolerateTaints(ctx, client)
	if err != nil {
		return nil, err
	}
	classes, features, err := w.draftClasses(ctx, d)
	if err != nil {
		return nil, err
	}
	out := struct {
		APIVersion, Kind, Driver, DaemonSet, Why string
		Classes                                  []draftClass
		Features                                 []spec.DriverFeature
		Tolerations                              []corev1.Toleration
	}{declarations.APIVersion, declarations.Kind, driver, d.Deploy.DaemonSet, whyFirst(driver, classes), classes, features, tolerations}
	var text bytes.Buffer
	if err := template.Must(template.New("driver.yaml").Parse(draft)).Execute(&text, out); err != nil {
		return nil, fmt.Errorf("write the declaration: %w", err)
	}
	return text.Bytes(), nil
}

// tolerateTaints adds the tainted nodes with devices of the driver, and returns tolerations for them. Taints by
// Kubernetes itself are not for a driver's nodes.
func (w *world) tolerateTaints(ctx context.Context, client kubernetes.Interface) (tolerations []corev1.Toleration, err error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	for _, n := range nodes.Items {
		if _, used := w.nodes[n.Name]; used || !slices.ContainsFunc(w.slices, func(s resourceapi.ResourceSlice) bool { return ptr.Deref(s.Spec.NodeName, "") == n.Name }) {
			continue
		}
		taints := slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule })
		if slices.ContainsFunc(taints, func(t corev1.Taint) bool {
			return strings.HasPrefix(t.Key, "node.kubernetes.io/") || strings.HasPrefix(t.Key, "node-role.kubernetes.io/")
		}) {
			continue
		}
		w.nodes[n.Name] = n.Labels
		for _, t := range taints {
			by := corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOpExists, Effect: t.Effect}
			if !slices.Contains(tolerations, by) {
				tolerations = append(tolerations, by)
			}
		}
	}
	return tolerations, nil
}

// draftClasses returns the classes selecting devices of the driver, starting with the one for cases, and the observed
// features.
func (w world) draftClasses(ctx context.Context, d declarations.Declaration) (classes []draftClass, features []spec.DriverFeature, err error) {
	if len(w.slices) == 0 {
		return nil, nil, w.nothing(d)
	}
	published := pools.Devices(d.Driver, w.slices, w.claims)
	if len(published) == 0 {
		return nil, nil, w.noDevice(d)
	}
	for _, c := range w.classes {
		d.Classes = []declarations.Class{{Name: c.Name}}
		s, err := newObservation(ctx, d, w)
		if err != nil {
			continue // it selects none of the driver's devices
		}
		drafted := draftClass{Name: c.Name, Devices: math.MaxInt}
		for _, devices := range s.devices {
			drafted.Devices, drafted.total = min(drafted.Devices, len(devices)), drafted.total+len(devices)
		}
		classes = append(classes, drafted)
		for _, f := range spec.DriverFeatures() {
			if s.observed[f] && !slices.Contains(features, f) {
				features = append(features, f)
			}
		}
	}
	if len(classes) == 0 {
		return nil, nil, fmt.Errorf("%w: driver %s publishes %d device(s), and none of the %d device class(es) selects one on nodes where pods can run: create a class, as the driver's users would have it, or see to the nodes' taints", ErrNotThere, d.Driver, len(published), len(w.classes))
	}
	slices.SortStableFunc(classes, func(a, b draftClass) int {
		switch d.Driver {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return cmp.Or(cmp.Compare(b.total, a.total), strings.Compare(a.Name, b.Name))
	})
	return classes, features, nil
}

// whyFirst explains the choice of the first class.
func whyFirst(driver string, classes []draftClass) string {
	const use = "Cases use the first class"
	first := classes[0]
	switch {
	case len(classes) == 1:
		return use + ", the only one that selects devices of the driver."
	case first.Name == driver:
		return use + ": the one with the driver's name. Move another one up if its devices are the usual ones."
	case first.total > classes[1].total:
		return fmt.Sprintf("%s: the one with the most devices (%d). Move another one up if its devices are the usual ones.", use, first.total)
	default:
		return fmt.Sprintf("%s: the first by name of those with %d devices. Move another one up if its devices are the usual ones.", use, first.total)
	}
}

// registryDir is mounted by every DRA driver, with any kubelet root.
const registryDir = "/plugins_registry"

// daemonSetOf returns "namespace/name" of the driver's daemon set: the one mounting the kubelet's registry and naming
// the driver, or the only one mounting it. Empty if ambiguous.
func daemonSetOf(driver string, sets []appsv1.DaemonSet) string {
	var all, named []string
	for _, s := range sets {
		mounts := slices.ContainsFunc(s.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
			return v.HostPath != nil && strings.HasSuffix(strings.TrimSuffix(v.HostPath.Path, "/"), registryDir)
		})
		if !mounts || s.Labels[spec.LabelManagedBy] == spec.ManagedBy {
			continue
		}
		all = append(all, s.Namespace+"/"+s.Name)
		if spec.Names(driver, fmt.Sprint(s.Spec.Template.Spec)) {
			named = append(named, s.Namespace+"/"+s.Name)
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(all) == 1:
		return all[0]
	default:
		return ""
	}
}

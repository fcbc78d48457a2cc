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
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/declarations"
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
  # An image with sh and sleep that the nodes have or can pull.
  image: EDIT
  # Succeeds in a container that has a device, fails in others.
  present: [sh, -c, 'echo EDIT; false']
  # The other way round.
  absent: [sh, -c, 'echo EDIT; false']
  # Prints one line for each device, the same for the same device in each container.
  # identify: [sh, -c, 'EDIT']
{{- if .DaemonSet}}
deploy:
  daemonSet: {{.DaemonSet}}
{{- end}}
`

type draftClass struct {
	Name    string
	Devices int
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
	if len(w.slices) == 0 {
		return nil, w.nothing(d)
	}
	out := struct {
		APIVersion, Kind, Driver, DaemonSet string
		Classes                             []draftClass
		Features                            []spec.DriverFeature
	}{APIVersion: declarations.APIVersion, Kind: declarations.Kind, Driver: driver, DaemonSet: d.Deploy.DaemonSet}
	for _, c := range w.classes {
		d.Classes = []declarations.Class{{Name: c.Name}}
		s, err := newObservation(ctx, d, w)
		if err != nil {
			continue // it selects none of the driver's devices
		}
		least := slices.MinFunc(s.nodes(), func(a, b string) int { return len(s.devices[a]) - len(s.devices[b]) })
		out.Classes = append(out.Classes, draftClass{c.Name, len(s.devices[least])})
		for _, f := range spec.DriverFeatures() {
			if s.observed[f] && !slices.Contains(out.Features, f) {
				out.Features = append(out.Features, f)
			}
		}
	}
	if len(out.Classes) == 0 {
		return nil, fmt.Errorf("%w: no device class selects a device of driver %s: create one, as the driver's users would have it", ErrNotThere, driver)
	}
	var text bytes.Buffer
	if err := template.Must(template.New("driver.yaml").Parse(draft)).Execute(&text, out); err != nil {
		return nil, fmt.Errorf("write the declaration: %w", err)
	}
	return text.Bytes(), nil
}

// registryDir is mounted by every DRA driver, with any kubelet root.
const registryDir = "/plugins_registry"

// daemonSetOf is "namespace/name" of the driver's daemon set: the one mounting the kubelet's registry and naming the
// driver, or the only one mounting it. Empty if ambiguous.
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

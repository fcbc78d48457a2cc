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

package kind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
)

// object is a part of a configuration, marshalled as YAML.
type object = map[string]any

// defaults are the default arguments of components.
// Verbosity is high enough to log why a claim was or was not allocated, reserved and prepared. The rest is for speed:
// with Kubernetes' defaults the controller manager of a new cluster waits four seconds for an uncontested lease,
// because its first attempt precedes its permissions, and four more for its own request limit.
//
//nolint:gochecknoglobals // a table
var defaults = map[string]map[string]string{
	// On SIGTERM the API server waits for its watches, without end, until the kubelet kills it 30 s later
	// (k8s.io/apiserver v0.37.1 pkg/server/genericapiserver.go, RunWithContext: Server.Shutdown has 60 s).
	// With this flag it waits for other requests only and exits 2 s after them.
	"apiserver":          {"shutdown-send-retry-after": "true"},
	"controller-manager": {"v": "4", "leader-elect-retry-period": "500ms", "kube-api-qps": "100", "kube-api-burst": "200"},
	"kubelet":            {"v": "4"},
	"scheduler":          {"v": "5", "leader-elect-retry-period": "500ms"},
	// Fast instead of durable: after a crash of the machine a test cluster is recreated.
	"etcd": {"unsafe-no-fsync": "true"},
}

// render returns kind's configuration of a cluster. Kind converts it to a kubeadm configuration: v1beta4 for
// Kubernetes v1.36 and newer, v1beta3 before, so a patch names its version where the two differ.
func render(c clusters.Config, image string, m machine) (*v1alpha4.Cluster, error) {
	workers := 0
	if c.Workers != nil {
		workers = *c.Workers
	}
	out := &v1alpha4.Cluster{
		TypeMeta: v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:     c.Name,
		Nodes:    []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: image}},
		Networking: v1alpha4.Networking{
			PodSubnet:         podSubnet,
			DisableDefaultCNI: true,
			KubeProxyMode:     v1alpha4.IPTablesProxyMode,
		},
		FeatureGates:  c.FeatureGates,
		RuntimeConfig: c.RuntimeConfig,
	}
	for range workers {
		out.Nodes = append(out.Nodes, v1alpha4.Node{Role: v1alpha4.WorkerRole, Image: image})
	}
	for _, patch := range patches(c, m) {
		text, err := yaml.Marshal(patch)
		if err != nil {
			return nil, fmt.Errorf("render cluster %q: %w", c.Name, err)
		}
		out.KubeadmConfigPatches = append(out.KubeadmConfigPatches, string(text))
	}
	return out, nil
}

// patches are merged into kubeadm's configuration in order.
func patches(c clusters.Config, m machine) []object {
	kubeletArgs := arguments("kubelet", c.ComponentArgs)
	out := []object{
		// No DRA case needs DNS, and there is no CoreDNS image.
		{"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration", "dns": object{"disabled": true}},
		{"apiVersion": "kubeadm.k8s.io/v1beta3", "kind": "InitConfiguration", "skipPhases": []string{"preflight", "addon/coredns"}},
		// The default of four minutes only delays errors, such as an unknown feature gate.
		{"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration", "timeouts": timeouts()},
		{"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "JoinConfiguration", "timeouts": timeouts()},
		// Without a version: kind converts the arguments to v1beta4.
		{"kind": "ClusterConfiguration",
			"apiServer":         object{"extraArgs": arguments("apiserver", c.ComponentArgs)},
			"controllerManager": object{"extraArgs": arguments("controller-manager", c.ComponentArgs)},
			"scheduler":         object{"extraArgs": arguments("scheduler", c.ComponentArgs)},
			"etcd":              object{"local": object{"extraArgs": arguments("etcd", c.ComponentArgs)}},
		},
		{"kind": "InitConfiguration", "nodeRegistration": object{"kubeletExtraArgs": kubeletArgs}},
		{"kind": "JoinConfiguration", "nodeRegistration": object{"kubeletExtraArgs": kubeletArgs}},
	}
	kubelet := kubeletFor(m)
	kubelet["kind"] = "KubeletConfiguration"
	out = append(out, kubelet)
	if len(c.Kubelet) > 0 {
		own := maps.Clone(c.Kubelet)
		own["kind"] = "KubeletConfiguration"
		delete(own, "apiVersion") // a patch with another version would be dropped silently
		out = append(out, own)
	}
	return out
}

func timeouts() object {
	return object{"kubeletHealthCheck": "1m30s", "controlPlaneComponentHealthCheck": "3m0s"}
}

// arguments merges a component's default arguments with the requested ones.
func arguments(component string, asked map[string]map[string]string) object {
	out := object{}
	for name, value := range defaults[component] {
		out[name] = value
	}
	for name, value := range asked[component] {
		out[strings.TrimLeft(name, "-")] = value
	}
	return out
}

func kubeletFor(m machine) object {
	out := object{
		// After a failed NodePrepareResources the kubelet retries only at the next sync of all pods, by default after 60 to
		// 90 s (k8s.io/kubernetes v1.37.1 pkg/kubelet/kuberuntime: SyncPod returns no error then). Test clusters wait a
		// tenth of that.
		"syncFrequency": "6s",
	}
	if m.CgroupV1 {
		out["failCgroupV1"] = false
	}
	if m.NoSysResource {
		out["featureGates"] = object{"KubeletInUserNamespace": true}
	}
	return out
}

func describe(c clusters.Config) string {
	workers := 0
	if c.Workers != nil {
		workers = *c.Workers
	}
	text := "one node"
	if workers > 0 {
		text = fmt.Sprintf("control plane and %d workers", workers)
	}
	if workers == 1 {
		text = "control plane and one worker"
	}
	if gates := slices.Sorted(maps.Keys(c.FeatureGates)); len(gates) > 0 {
		text += ", gates " + strings.Join(gates, " ")
	}
	return text
}

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

package controlplane

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	loopback      = "127.0.0.1"
	serviceSubnet = "10.96.0.0/16"
	podSubnet     = "10.244.0.0/16"
	// managedNodes is how kwok knows its nodes.
	managedKey, managedValue = "kwok.x-k8s.io/node", "fake"
)

type command struct {
	name, path string
	args       []string
	// health is the URL answering 200 once the program is healthy.
	health string
}

type layout struct {
	dir string
	// ports are the ports by process name; etcd's peers have a separate port.
	ports map[string]int
}

// stagesFile is the file with kwok's stages.
const stagesFile = "stages.yaml"

const etcdPeers = "etcd-peers"

// portNames are the users of a port.
func portNames() []string {
	return []string{etcd, etcdPeers, apiserver, controllerManager, scheduler, ownControllers, kwok}
}

func (l layout) file(name ...string) string {
	return filepath.Join(append([]string{l.dir}, name...)...)
}
func (l layout) pki(name string) string { return l.file("pki", name) }

func (l layout) kubeconfig(process string) string { return l.file("pki", process+".kubeconfig") }

func (l layout) url(name string) string {
	return "https://" + loopback + ":" + strconv.Itoa(l.ports[name])
}

// commands returns the processes of a cluster in start order; those after the API server are its clients.
func commands(c clusters.Config, p programs, l layout) []command {
	all := []command{etcdCommand(c, l), apiserverCommand(c, l), managerCommand(c, l), schedulerCommand(c, p, l), ownControllersCommand(c, l), kwokCommand(l)}
	var out []command
	for _, cmd := range all {
		if path, ok := p.paths[cmd.name]; ok {
			cmd.path = path
			out = append(out, cmd)
		}
	}
	return out
}

// args merges a component's default arguments with the requested ones.
func args(ours map[string]string, asked map[string]string) []string {
	all := maps.Clone(ours)
	for name, value := range asked {
		all[strings.TrimLeft(name, "-")] = value
	}
	out := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, "--"+name+"="+all[name])
	}
	return out
}

func etcdCommand(c clusters.Config, l layout) command {
	peers := "https://" + loopback + ":" + strconv.Itoa(l.ports[etcdPeers])
	return command{name: etcd, args: args(map[string]string{
		"name": "default", "data-dir": l.file("etcd"),
		"listen-client-urls": l.url(etcd), "advertise-client-urls": l.url(etcd),
		"listen-peer-urls": peers, "initial-advertise-peer-urls": peers, "initial-cluster": "default=" + peers,
		"cert-file": l.pki("etcd-server.crt"), "key-file": l.pki("etcd-server.key"), "trusted-ca-file": l.pki("etcd-ca.crt"), "client-cert-auth": "true",
		"peer-cert-file": l.pki("etcd-server.crt"), "peer-key-file": l.pki("etcd-server.key"), "peer-trusted-ca-file": l.pki("etcd-ca.crt"), "peer-client-cert-auth": "true",
		// After a crash of the machine the cluster is recreated (docs/adr/0014).
		"unsafe-no-fsync": "true",
		// The default of 2 GiB fills up soon with thousands of pods.
		"quota-backend-bytes": strconv.Itoa(8 << 30),
	}, c.ComponentArgs["etcd"])}
}

func apiserverCommand(c clusters.Config, l layout) command {
	ours := map[string]string{
		"bind-address": loopback, "secure-port": strconv.Itoa(l.ports[apiserver]),
		// There is no network, so no client uses the service "kubernetes", and endpoints must not have loopback addresses.
		"advertise-address": loopback, "endpoint-reconciler-type": "none",
		"service-cluster-ip-range": serviceSubnet,
		"etcd-servers":             l.url(etcd), "etcd-cafile": l.pki("etcd-ca.crt"), "etcd-certfile": l.pki("etcd-client.crt"), "etcd-keyfile": l.pki("etcd-client.key"),
		"tls-cert-file": l.pki("server.crt"), "tls-private-key-file": l.pki("server.key"), "client-ca-file": l.pki("ca.crt"),
		"service-account-issuer":           "https://kubernetes.default.svc",
		"service-account-key-file":         l.pki("sa.pub"),
		"service-account-signing-key-file": l.pki("sa.key"),
		// As kubeadm configures it.
		"authorization-mode":       "Node,RBAC",
		"enable-admission-plugins": "NodeRestriction",
		"allow-privileged":         "true",
	}
	off := []string{}
	if c.Nodes > 0 {
		// It taints new nodes until a controller sees them Ready; simulated nodes are Ready from the start.
		off = append(off, "TaintNodesByCondition")
	}
	if !has(c, spec.Controllers) {
		off = append(off, "ServiceAccount") // no controller creates the required accounts
	}
	if len(off) > 0 {
		ours["disable-admission-plugins"] = strings.Join(off, ",")
	}
	withGates(ours, c)
	if len(c.RuntimeConfig) > 0 {
		ours["runtime-config"] = joined(c.RuntimeConfig)
	}
	return command{name: apiserver, args: args(ours, c.ComponentArgs["apiserver"]), health: l.url(apiserver) + "/readyz"}
}

// withGates adds the feature gates, known to all Kubernetes components.
func withGates(to map[string]string, c clusters.Config) {
	if len(c.FeatureGates) == 0 {
		return
	}
	gates := map[string]string{}
	for name, on := range c.FeatureGates {
		gates[name] = strconv.FormatBool(on)
	}
	to["feature-gates"] = joined(gates)
}

func joined(values map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+values[name])
	}
	return strings.Join(out, ",")
}

// serving returns the arguments of components that delegate authentication to the API server.
func serving(l layout, name string) map[string]string {
	return map[string]string{
		"kubeconfig": l.kubeconfig(name), "authentication-kubeconfig": l.kubeconfig(name), "authorization-kubeconfig": l.kubeconfig(name),
		"bind-address": loopback, "secure-port": strconv.Itoa(l.ports[name]),
		"tls-cert-file": l.pki("server.crt"), "tls-private-key-file": l.pki("server.key"),
		// Single replicas need no leader election.
		"leader-elect": "false",
	}
}

func managerCommand(c clusters.Config, l layout) command {
	ours := serving(l, controllerManager)
	maps.Copy(ours, map[string]string{
		"v":                                "4",
		"kube-api-qps":                     "1000",
		"kube-api-burst":                   "2000",
		"use-service-account-credentials":  "true",
		"service-account-private-key-file": l.pki("sa.key"),
		"root-ca-file":                     l.pki("ca.crt"),
		// Simulated nodes send neither heartbeats nor leases (docs/adr/0014).
		"node-monitor-grace-period": "8760h",
	})
	if c.Stack.Controllers == spec.Own {
		ours["controllers"] = "*,-resourceclaim-controller,-device-taint-eviction-controller"
	}
	withGates(ours, c)
	return command{name: controllerManager, args: args(ours, c.ComponentArgs["controller-manager"]), health: l.url(controllerManager) + "/healthz"}
}

func schedulerCommand(c clusters.Config, p programs, l layout) command {
	ours := serving(l, scheduler)
	maps.Copy(ours, map[string]string{"v": "5", "kube-api-qps": "1000", "kube-api-burst": "2000"})
	if len(p.schedulerConfig) > 0 {
		// The scheduler ignores these arguments if it has a file.
		for _, name := range []string{"kubeconfig", "kube-api-qps", "kube-api-burst"} {
			delete(ours, name)
		}
		ours["config"] = l.file("scheduler.yaml")
	}
	withGates(ours, c)
	return command{name: scheduler, args: args(ours, c.ComponentArgs["scheduler"]), health: l.url(scheduler) + "/readyz"}
}

// ownControllersCommand keeps the controller manager arguments applying to its controllers in any
// process.
func ownControllersCommand(c clusters.Config, l layout) command {
	ours := serving(l, ownControllers)
	maps.Copy(ours, map[string]string{"controllers": "*", "v": "4", "kube-api-qps": "1000", "kube-api-burst": "2000"})
	asked := map[string]string{}
	for name, value := range c.ComponentArgs["controller-manager"] {
		if name = strings.TrimLeft(name, "-"); name == "v" || strings.HasPrefix(name, "kube-api-") {
			asked[name] = value
		}
	}
	return command{name: ownControllers, args: args(ours, asked), health: l.url(ownControllers) + "/readyz"}
}

func kwokCommand(l layout) command {
	address := loopback + ":" + strconv.Itoa(l.ports[kwok])
	return command{name: kwok, args: args(map[string]string{
		// kwok splits the value at commas, so the path of the directory must not be in it. kwok runs in the directory.
		"kubeconfig": l.kubeconfig(kwok), "config": stagesFile,
		"manage-nodes-with-annotation-selector": managedKey + "=" + managedValue,
		"node-lease-duration-seconds":           "0",
		"cidr":                                  podSubnet,
		"server-address":                        address,
	}, nil), health: "http://" + address + "/healthz"}
}

// describe is a cluster in a few words.
func describe(c clusters.Config) string {
	text := fmt.Sprintf("control plane of processes, %d simulated nodes", c.Nodes)
	if len(c.Without) > 0 {
		text += ", without " + strings.Join(c.Without, " and ")
	}
	if gates := slices.Sorted(maps.Keys(c.FeatureGates)); len(gates) > 0 {
		text += ", gates " + strings.Join(gates, " ")
	}
	return text
}

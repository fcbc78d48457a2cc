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

package kubelets

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

// kubelet is a node's kubelet, accessed through the API server's node proxy.
type kubelet struct {
	client kubernetes.Interface
	node   string
	self   *regexp.Regexp // the node's name and addresses
}

func newKubelet(ctx context.Context, client kubernetes.Interface, name string, own bool) (kubelet, error) {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return kubelet{}, err
	}
	if version := node.Status.NodeInfo.KubeletVersion; strings.HasSuffix(version, spec.OwnKubeletMark) != own {
		return kubelet{}, fmt.Errorf("the kubelet on %s is %s: it should be the other one", name, version)
	}
	return kubelet{client: client, node: name, self: self(node)}, nil
}

// self matches a node's name and addresses.
func self(node *corev1.Node) *regexp.Regexp {
	names := []string{regexp.QuoteMeta(node.Name)}
	for _, address := range node.Status.Addresses {
		names = append(names, regexp.QuoteMeta(address.Address))
	}
	return regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
}

// anonymous replaces the node's name and addresses in a response.
func (k kubelet) anonymous(said []byte) []byte { return k.self.ReplaceAll(said, []byte("this-node")) }

// ask returns the kubelet's response for a path.
func (k kubelet) ask(ctx context.Context, path, accept string) ([]byte, error) {
	said, err := k.client.CoreV1().RESTClient().Get().Resource("nodes").Name(k.node).SubResource("proxy").Suffix(path).
		SetHeader("Accept", accept).DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the kubelet on %s for %s: %w", k.node, path, err)
	}
	return k.anonymous(said), nil
}

func (k kubelet) configz(ctx context.Context) (facts, error) {
	said, err := k.ask(ctx, "/configz", "application/json")
	if err != nil {
		return nil, err
	}
	return factsOf("configz", said)
}

func (k kubelet) flagz(ctx context.Context) (facts, error) {
	said, err := k.ask(ctx, "/flagz", "application/json;as=Flagz;g=config.k8s.io;v=v1beta1")
	if err != nil {
		return nil, err
	}
	return factsOf("flagz", said)
}

// status returns the node status without machine-specific parts. The version must differ by our
// build's suffix.
func (k kubelet) status(ctx context.Context) (facts, error) {
	node, err := k.client.CoreV1().Nodes().Get(ctx, k.node, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	status := node.Status
	for i := range status.Conditions {
		status.Conditions[i].LastHeartbeatTime = metav1.Time{}
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	status.NodeInfo.MachineID, status.NodeInfo.BootID, status.NodeInfo.SystemUUID = "", "", ""
	status.NodeInfo.KubeletVersion = strings.TrimSuffix(status.NodeInfo.KubeletVersion, spec.OwnKubeletMark)
	said, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return factsOf("status", k.anonymous(said))
}

func (k kubelet) metrics(ctx context.Context) (facts, error) {
	all := facts{}
	for _, path := range []string{"/metrics", "/metrics/cadvisor", "/metrics/resource", "/metrics/probes", "/metrics/slis"} {
		said, err := k.ask(ctx, path, "text/plain")
		if err != nil {
			return nil, err
		}
		some, err := metricFacts(path, said)
		if err != nil {
			return nil, fmt.Errorf("%s of the kubelet on %s: %w", path, k.node, err)
		}
		maps.Copy(all, some)
	}
	return all, nil
}

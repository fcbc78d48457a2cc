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

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Engine runs commands of the container engine of the nodes.
type Engine interface {
	Run(ctx context.Context, args ...string) (string, error)
}

// Components are the components supported by Killing. spec.Controllers are this project's: stock ones share a process
// with others.
func Components() []string {
	return []string{spec.Scheduler, "controller-manager", spec.Controllers, spec.Kubelet, apiServer}
}

// Killing returns the fault for one of the Components.
func Killing(component string, engine Engine) soak.Fault {
	if component == apiServer {
		return Away{Engine: engine}
	}
	return Kill{Component: component, Engine: engine}
}

// Kill kills a component with SIGKILL on all of its nodes, in clusters with nodes as local containers. The API server
// is for Away.
type Kill struct {
	Component string
	Engine    Engine
}

var _ soak.Fault = Kill{}

// Name implements soak.Fault.
func (k Kill) Name() string { return "kill " + k.Component }

// signalPod sends the signal $1 to the running containers of the pod $2, and prints them. The container runtime
// identifies the process, since process names are ambiguous.
const signalPod = `for c in $(crictl ps --quiet --state running --label io.kubernetes.pod.namespace=kube-system --label "io.kubernetes.pod.name=$2"); do
  pid=$(crictl inspect --output go-template --template '{{.info.pid}}' "$c") && [ "$pid" -gt 1 ] && kill "-$1" "$pid" && echo "$c"
done; true`

// killKubelet kills the kubelet and prints something if it ran.
const killKubelet = `systemctl kill --kill-whom=main --signal=KILL kubelet && echo killed; true`

// Pause is the interval between attempts to find the component running.
const Pause = 200 * time.Millisecond

// Do kills running instances and waits until a successor leads, so the next kill hits a working one. It waits for a
// component still down: killing nothing does not count.
func (k Kill) Do(ctx context.Context, target soak.Target) error {
	nodes, err := k.where(ctx, target.Client)
	if err != nil {
		return err
	}
	before, err := leader(ctx, target.Client, k.label())
	if err != nil {
		return err
	}
	if err := k.kill(ctx, nodes); err != nil || before == "" {
		return err
	}
	return awaitSuccessor(ctx, target.Client, k.label(), before)
}

// label is the component's name in pod labels and of its lease.
func (k Kill) label() string {
	if k.Component == spec.Controllers {
		return "dra-controller-manager"
	}
	return "kube-" + k.Component
}

func (k Kill) kill(ctx context.Context, nodes []place) error {
	for _, n := range nodes {
		err := wait.PollUntilContextCancel(ctx, Pause, true, func(ctx context.Context) (bool, error) {
			out, err := k.Engine.Run(ctx, append([]string{"exec", n.name, "sh", "-c"}, n.kill()...)...)
			return strings.TrimSpace(out) != "", err
		})
		if err != nil {
			return fmt.Errorf("kill the %s on node %s: %w", k.Component, n.name, err)
		}
	}
	return nil
}

// place is a node with the component's pod there, empty for the kubelet.
type place struct{ name, pod string }

// kill is the script to kill the component, with its arguments.
func (p place) kill() []string {
	if p.pod == "" {
		return []string{killKubelet}
	}
	return []string{signalPod, "sh", "KILL", p.pod}
}

func (k Kill) where(ctx context.Context, client kubernetes.Interface) ([]place, error) {
	var places []place
	if k.Component == spec.Kubelet {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"})
		if err != nil {
			return nil, fmt.Errorf("list worker nodes: %w", err)
		}
		for _, n := range nodes.Items {
			places = append(places, place{name: n.Name})
		}
	} else {
		pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=" + k.label()})
		if err != nil {
			return nil, fmt.Errorf("list the pods of the %s: %w", k.Component, err)
		}
		for _, p := range pods.Items {
			places = append(places, place{p.Spec.NodeName, p.Name})
		}
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("kill the %s: the cluster shows none", k.Component)
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.name, b.name) })
	return places, nil
}

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
)

// Engine runs commands of the container engine whose containers are the nodes.
type Engine interface {
	Run(ctx context.Context, args ...string) (string, error)
}

// ownControllers is what runs this project's controllers, which stock ones share a
// process with others.
const ownControllers = "controllers"

// Components are what Killing can kill.
func Components() []string {
	return []string{"scheduler", "controller-manager", ownControllers, "kubelet", apiServer}
}

// Killing returns what kills one of the Components.
func Killing(component string, engine Engine) soak.Fault {
	if component == apiServer {
		return Away{Engine: engine}
	}
	return Kill{Component: component, Engine: engine}
}

// Kill kills a component with SIGKILL on all nodes where it runs, in clusters
// whose nodes are containers of this machine. The API server is for Away.
type Kill struct {
	Component string
	Engine    Engine
}

var _ soak.Fault = Kill{}

// Name implements soak.Fault.
func (k Kill) Name() string { return "kill " + k.Component }

// signalPod sends the signal $1 to the containers of the pod $2 that run now, and
// prints them. The runtime is asked for the process because a process's name says
// nothing about what it is part of.
const signalPod = `for c in $(crictl ps --quiet --state running --label io.kubernetes.pod.namespace=kube-system --label "io.kubernetes.pod.name=$2"); do
  pid=$(crictl inspect --output go-template --template '{{.info.pid}}' "$c") && [ "$pid" -gt 1 ] && kill "-$1" "$pid" && echo "$c"
done; true`

// killKubelet kills the kubelet and prints something if it ran.
const killKubelet = `systemctl kill --kill-whom=main --signal=KILL kubelet && echo killed; true`

// Pause is the time between two attempts to find the component running.
const Pause = 200 * time.Millisecond

// Do kills what runs and waits until a successor leads, so that the next kill hits
// one that works. A component that is still down is waited for: a kill that hits
// nothing is none.
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

// label is what the component is called in labels of pods, and what it calls its lease.
func (k Kill) label() string {
	if k.Component == ownControllers {
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

// kill is the script, with its arguments, that kills the component.
func (p place) kill() []string {
	if p.pod == "" {
		return []string{killKubelet}
	}
	return []string{signalPod, "sh", "KILL", p.pod}
}

func (k Kill) where(ctx context.Context, client kubernetes.Interface) ([]place, error) {
	var places []place
	if k.Component == "kubelet" {
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

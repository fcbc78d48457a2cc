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
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/framework/spec"
)

// This project's controllers run beside the stock controller manager, with their stock counterparts disabled.
const (
	controllersName = "dra-controller-manager"
	controllersPort = 10257
)

// controllersUsually is the restart of the controller manager's pod plus the 15 s of the lease the old one does not
// release.
const controllersUsually = 30 * time.Second

// leftOut are the stock controller manager's names of the replaced controllers.
func leftOut() []string {
	return []string{"resourceclaim-controller", "device-taint-eviction-controller"}
}

// inCommon are flags for controllers of either implementation: verbosity and client limits.
func inCommon() []string {
	return []string{"--v", "--kube-api-qps", "--kube-api-burst", "--leader-elect-retry-period"}
}

// controllers switches the controllers. They never run in parallel: each would create the claims of a pod.
func (s switching) controllers(ctx context.Context) ([]clusters.Switched, error) {
	node, err := s.controlPlane(s.record.Name)
	if err != nil {
		return nil, err
	}
	if s.to.Controllers == spec.Own {
		if err := s.load(ctx, node, s.own.controllers); err != nil {
			return nil, err
		}
	}
	done := clusters.Switched{Component: "controllers", Node: node.String()}
	err = s.progress.Step(fmt.Sprintf("switch controllers on %s to %s", node, s.to.Controllers), controllersUsually, func() error {
		if s.to.Controllers == spec.Own {
			return s.ownControllers(ctx, node, &done)
		}
		return s.stockControllers(ctx, node, &done)
	})
	return []clusters.Switched{done}, err
}

func (s switching) ownControllers(ctx context.Context, node member, done *clusters.Switched) error {
	c := staticpod.ControllerManager()
	off, err := s.replace(ctx, node, c, func(manifest []byte) ([]byte, error) { return staticpod.SwitchOff(manifest, leftOut()) })
	if err != nil {
		return err
	}
	lastOld := off.LastOld
	if lastOld.IsZero() {
		lastOld = time.Now()
	}
	changed, err := s.deploy(ctx, node)
	if err == nil {
		err = s.awaitControllers(ctx, node)
	}
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w (%s on %s leaves its work to %s)", err, c.Name, node, controllersName)
		}
		return errors.Join(err, s.undoControllers(ctx, node))
	}
	done.From, done.To = off.From, s.own.controllers.Ref
	if changed || !off.LastOld.IsZero() {
		done.Downtime = time.Since(lastOld)
	}
	return nil
}

func (s switching) stockControllers(ctx context.Context, node member, done *clusters.Switched) error {
	lastOld := time.Now()
	if err := s.undeploy(ctx, node); err != nil {
		return err
	}
	on, err := s.replace(ctx, node, staticpod.ControllerManager(), staticpod.Original)
	if err != nil {
		return err
	}
	done.From, done.To = controllersName, on.To
	if !on.Works.IsZero() {
		done.Downtime = on.Works.Sub(lastOld)
	}
	return nil
}

// undoControllers re-enables the stock controllers after the own ones failed. It always returns an error, with the
// outcome.
func (s switching) undoControllers(ctx context.Context, node member) error {
	var undone clusters.Switched
	if err := s.stockControllers(ctx, node, &undone); err != nil {
		return fmt.Errorf("give the work back to the stock controllers: %w", err)
	}
	return errors.New("the stock controllers do the work again")
}

func kubectl(ctx context.Context, node member, input []byte, args ...string) (string, error) {
	return node.Run(ctx, bytes.NewReader(input), append([]string{"kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf"}, args...)...)
}

// deploy applies the manifest of the own controllers, and reports whether their Deployment changed.
func (s switching) deploy(ctx context.Context, node member) (changed bool, err error) {
	stock, err := staticpod.Read(ctx, node, staticpod.ControllerManager())
	if err != nil {
		return false, err
	}
	args, err := staticpod.Args(stock, inCommon())
	if err != nil {
		return false, err
	}
	manifest, err := s.own.controllers.Manifest(args)
	if err != nil {
		return false, err
	}
	out, err := kubectl(ctx, node, manifest, "apply", "--filename", "-")
	if err != nil {
		return false, fmt.Errorf("deploy %s: %w", controllersName, err)
	}
	return !strings.Contains(out, "deployment.apps/"+controllersName+" unchanged"), nil
}

// undeploy removes the own controllers and waits until none runs. Their service account and permissions stay.
func (s switching) undeploy(ctx context.Context, node member) error {
	_, err := kubectl(ctx, node, nil, "delete", "deployment", controllersName, "--namespace", metav1.NamespaceSystem,
		"--ignore-not-found", "--cascade=foreground", "--wait", "--timeout=1m")
	if err != nil {
		return fmt.Errorf("remove %s: %w", controllersName, err)
	}
	return nil
}

// awaitControllers waits until a single pod of the own controllers is left, with the right image and version, ready
// and leading.
func (s switching) awaitControllers(ctx context.Context, node member) error {
	err := poll(ctx, func(ctx context.Context) (string, error) {
		pods, err := s.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=" + controllersName})
		if err != nil {
			return "", err
		}
		if len(pods.Items) != 1 {
			return fmt.Sprintf("%d pods are there instead of one", len(pods.Items)), nil
		}
		pod := pods.Items[0]
		if image := pod.Spec.Containers[0].Image; image != s.own.controllers.Ref || pod.Status.PodIP == "" {
			return "the pod of image " + image + " is " + phase(pod), nil
		}
		c := staticpod.Component{Name: controllersName, Host: pod.Status.PodIP, Port: controllersPort, Health: "/readyz", Leads: true}
		answer, err := staticpod.Ask(ctx, node, c)
		if err != nil {
			return "", err
		}
		if !answer.Works(c) || answer.Version != s.record.Version {
			return phase(pod) + "; " + answer.String(), nil
		}
		return "", nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s: %w%s", controllersName, err, lastLogLines(ctx, node))
	}
	return nil
}

// phase is a pod's, with why it waits.
func phase(pod corev1.Pod) string {
	text := string(pod.Status.Phase)
	for _, status := range pod.Status.ContainerStatuses {
		if w := status.State.Waiting; w != nil {
			text += ": " + w.Reason + " " + w.Message
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			text += ": " + c.Message
		}
	}
	return text
}

func lastLogLines(ctx context.Context, node member) string {
	out, err := kubectl(ctx, node, nil, "logs", "--namespace", metav1.NamespaceSystem, "--selector", "component="+controllersName, "--tail=5")
	if err != nil || strings.TrimSpace(out) == "" {
		return ""
	}
	return "; their logs end:\n" + strings.TrimSpace(out)
}

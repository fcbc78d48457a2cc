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
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

type world struct {
	slices  []resourceapi.ResourceSlice // of the driver
	classes []resourceapi.DeviceClass
	claims  []resourceapi.ResourceClaim // all
	nodes   map[string]labels.Set       // those on which pods can run
	leftOut map[string]string           // why others are not used
	// daemonSet is nil if missing, pods are its own.
	daemonSet *appsv1.DaemonSet
	pods      []corev1.Pod
}

// discover reads a world; workers are the nodes able to run pods.
func discover(ctx context.Context, client kubernetes.Interface, d declarations.Declaration, workers []string) (world, error) {
	w := world{nodes: map[string]labels.Set{}}
	published, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + d.Driver})
	if err != nil {
		return w, fmt.Errorf("list ResourceSlices: %w", err)
	}
	classes, err := client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return w, fmt.Errorf("list device classes: %w", err)
	}
	claims, err := client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return w, fmt.Errorf("list claims: %w", err)
	}
	w.slices, w.classes, w.claims = published.Items, classes.Items, claims.Items
	for _, name := range workers {
		node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return w, fmt.Errorf("get node %s: %w", name, err)
		}
		w.nodes[name] = node.Labels
	}
	return w, w.discoverDaemonSet(ctx, client, d.Deploy.DaemonSet)
}

func (w *world) discoverDaemonSet(ctx context.Context, client kubernetes.Interface, namespacedName string) error {
	if namespacedName == "" {
		return nil
	}
	namespace, name, _ := strings.Cut(namespacedName, "/")
	set, err := client.AppsV1().DaemonSets(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get daemon set %s: %w", namespacedName, err)
	}
	w.daemonSet = set
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)})
	if err != nil {
		return fmt.Errorf("list the pods of daemon set %s: %w", namespacedName, err)
	}
	// Pods of others may have its labels, too.
	w.pods = slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return !metav1.IsControlledBy(&p, set) })
	return nil
}

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

package explore

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/spec"
)

// taint repels other pods from the nodes.
const taint = "dra-conformance.github.io/explore"

// image of the containers, which never run.
const image = "none"

// nodeObject returns a node without a kubelet.
func nodeObject(n *problem.Node) *corev1.Node {
	node := n.API()
	node.Spec.Taints = []corev1.Taint{{Key: taint, Effect: corev1.TaintEffectNoSchedule}}
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("110")}
	for name, devices := range n.Extended {
		node.Status.Allocatable[corev1.ResourceName(name)] = *resource.NewQuantity(devices, resource.DecimalSI)
	}
	node.Status.Capacity = node.Status.Allocatable
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return node
}

// podObject returns a pod for the nodes of a problem.
func podObject(pod problem.Pod, id, namespace string) *corev1.Pod {
	object := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pod.Name, Labels: map[string]string{label: id}},
		Spec: corev1.PodSpec{
			NodeSelector:                  map[string]string{label: id},
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			TerminationGracePeriodSeconds: ptr.To(int64(0)),
			AutomountServiceAccountToken:  ptr.To(false),
		},
	}
	for _, c := range pod.Containers {
		container := objects.Wants(corev1.Container{Name: c.Name, Image: image}, c.Extended)
		switch c.Kind {
		case problem.Sidecar:
			container.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
			fallthrough
		case problem.Init:
			object.Spec.InitContainers = append(object.Spec.InitContainers, container)
		case problem.Main:
			object.Spec.Containers = append(object.Spec.Containers, container)
		}
	}
	if len(object.Spec.Containers) == 0 {
		object.Spec.Containers = []corev1.Container{{Name: "c", Image: image}}
	}
	container := &object.Spec.Containers[0]
	for _, claim := range pod.Claims {
		name := strings.TrimPrefix(claim, id+"-")
		object.Spec.ResourceClaims = append(object.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: ptr.To(claim)})
		container.Resources.Claims = append(container.Resources.Claims, corev1.ResourceClaim{Name: name})
	}
	return object
}

// namespaceObject returns a namespace for one problem at a time.
func namespaceObject(name string) *corev1.Namespace {
	return spec.Namespace(metav1.ObjectMeta{Name: name, Labels: map[string]string{resourceapi.DRAAdminNamespaceLabelKey: "true", label: "any"}})
}

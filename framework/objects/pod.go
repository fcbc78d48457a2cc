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

package objects

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Scripts for the containers of a busybox image.
const (
	// EnvironmentEnd is the line after the environment in a container's log.
	EnvironmentEnd = "-- end of environment"
	// Stay runs until it is told to end.
	Stay = `trap "exit 0" TERM; sleep 86400 & wait`
	// ShowAndStay prints the environment and runs until terminated.
	ShowAndStay = ShowAndEnd + `; ` + Stay
	// ReachService waits for a connection to the API server's service, whose address is in every container's
	// environment; another script follows.
	ReachService = `until nc -w 2 "$KUBERNETES_SERVICE_HOST" "$KUBERNETES_SERVICE_PORT" </dev/null; do sleep 1; done; `
	// ShowAndEnd prints the environment and ends.
	ShowAndEnd = `env; echo "` + EnvironmentEnd + `"`
)

// Quote returns a command quoted for a shell.
func Quote(command []string) string {
	words := make([]string, 0, len(command))
	for _, word := range command {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// Pod is a pod with one container "main", which prints its environment and stays, using all of these claims. The pod
// refers to a claim by its own name.
func Pod(name, image string, claims ...string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: ptr.To[int64](2),
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
		},
	}
	for _, c := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: ptr.To(c)})
	}
	pod.Spec.Containers = []corev1.Container{Container("main", image, ShowAndStay, claims...)}
	return pod
}

// PodFromTemplate is Pod with one claim "claim" from a template.
func PodFromTemplate(name, image, template string) *corev1.Pod {
	pod := Pod(name, image)
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To(template)}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "claim"}}
	return pod
}

// OnlyOn restricts a pod to these nodes.
func OnlyOn(pod *corev1.Pod, nodes ...string) *corev1.Pod {
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: Nodes(nodes...)}}
	return pod
}

// Nodes selects nodes by name, with a term each.
func Nodes(names ...string) *corev1.NodeSelector {
	selector := &corev1.NodeSelector{}
	for _, name := range names {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name},
			}},
		})
	}
	return selector
}

// Wants makes a container request extended resources, by name and number.
func Wants(c corev1.Container, numbers map[string]int64) corev1.Container {
	c.Resources.Limits = corev1.ResourceList{}
	for name, number := range numbers {
		c.Resources.Limits[corev1.ResourceName(name)] = *resource.NewQuantity(number, resource.DecimalSI)
	}
	return c
}

// PodWanting is Pod with a container requesting extended resources instead of claims.
func PodWanting(name, image string, numbers map[string]int64) *corev1.Pod {
	pod := Pod(name, image)
	pod.Spec.Containers[0] = Wants(pod.Spec.Containers[0], numbers)
	return pod
}

// Container runs a script in a busybox image and uses all requests of these claims of the pod.
func Container(name, image, script string, claims ...string) corev1.Container {
	c := corev1.Container{
		Name: name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command: []string{"sh", "-c", script},
	}
	for _, claim := range claims {
		c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: claim})
	}
	return c
}

// DefaultAccount is the default service account of pods. A controller creates it some time after its namespace, and
// the API server rejects pods until then (plugin/pkg/admission/serviceaccount in k8s.io/kubernetes): to create pods
// in a new namespace, create it as well and accept AlreadyExists.
func DefaultAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
}

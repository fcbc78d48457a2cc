package objects

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Strangers is the domain of those in whose name cases reserve claims and keep them and pods
// from going, who do not exist.
const Strangers = "example.com"

// Consumer is the reservation of a claim for a pod.
func Consumer(pod *corev1.Pod) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID}
}

// Stranger is the reservation of a claim for one that is no pod: controllers free a claim
// whose pods do not exist.
func Stranger(name string) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{APIGroup: Strangers, Resource: "consumers", Name: name, UID: types.UID("uid-of-" + name)}
}

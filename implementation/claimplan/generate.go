package claimplan

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxNameBase leaves room for what the API server appends to a generated name. Names
// of claims get used in host names by drivers, 63 characters is what those may have.
const maxNameBase = 57

// newClaim is the claim that a template describes, made for one entry of a pod's
// spec.resourceClaims. The annotation names that entry, the owner is the pod: both
// together are how the claim is found again.
func newClaim(pod *corev1.Pod, podClaim string, template *resourceapi.ResourceClaimTemplate) *resourceapi.ResourceClaim {
	annotations := maps.Clone(template.Spec.Annotations)
	if annotations == nil {
		annotations = make(map[string]string, 1)
	}
	annotations[resourceapi.PodResourceClaimAnnotation] = podClaim
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    pod.Namespace,
			GenerateName: generateName(pod.Name, podClaim),
			Labels:       maps.Clone(template.Spec.Labels),
			Annotations:  annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1",
				Kind:       "Pod",
				Name:       pod.Name,
				UID:        pod.UID,
				Controller: new(true),
			}},
		},
		Spec: *template.Spec.Spec.DeepCopy(),
	}
}

// generateName joins the names of pod and entry. If that is too long, both lose the
// same share of their length, so that neither disappears. A pod's name may have dots:
// a cut right behind one would make a name that the API server refuses.
func generateName(pod, podClaim string) string {
	name := pod + "-" + podClaim + "-"
	if len(name) <= maxNameBase {
		return name
	}
	shorten := func(part string) string { return part[:len(part)*maxNameBase/len(name)] }
	return strings.TrimRight(shorten(pod), ".") + "-" + shorten(podClaim)
}

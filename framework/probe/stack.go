package probe

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The labels of the pods that the components of a stack are, and the images of ours.
const (
	stockScheduler         = "kube-scheduler"
	ownScheduler           = "dra-scheduler"
	stockControllerManager = "kube-controller-manager"
	ownControllerManager   = "dra-controller-manager"
	claimController        = "resourceclaim-controller"
)

// stack says whose the components are that this project has too, as far as that can
// be seen. Own kubelets are named by their node, unless all are.
func stack(pods map[string][]corev1.Pod, nodes []spec.Node) map[string]string {
	found := map[string]string{}
	for _, pod := range pods[stockScheduler] {
		found[spec.Scheduler] = spec.StockComponent
		if imageName(pod.Spec.Containers[0].Image) == ownScheduler {
			found[spec.Scheduler] = spec.OwnComponent
		}
	}
	for _, pod := range pods[stockControllerManager] {
		found[spec.Controllers] = controllers(pod, pods[ownControllerManager])
	}
	var own []string
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n spec.Node) bool { return n.Simulated })
	if len(nodes) == 0 {
		return found // no kubelet
	}
	for _, n := range nodes {
		if strings.HasSuffix(n.Kubelet, spec.OwnKubeletMark) {
			own = append(own, n.Name)
		}
	}
	switch len(own) {
	case 0:
		found[spec.Kubelet] = spec.StockComponent
	case len(nodes):
		found[spec.Kubelet] = spec.OwnComponent
	default:
		found[spec.Kubelet] = spec.OwnComponent + " on " + strings.Join(own, ", ")
	}
	return found
}

// controllers says who does the work that a controller manager may leave to others.
func controllers(manager corev1.Pod, own []corev1.Pod) string {
	c := manager.Spec.Containers[0]
	for _, arg := range slices.Concat(c.Command, c.Args) {
		value, ok := strings.CutPrefix(arg, "--controllers=")
		if !ok || !strings.Contains(","+value+",", ",-"+claimController+",") {
			continue
		}
		for _, pod := range own {
			if imageName(pod.Spec.Containers[0].Image) == ownControllerManager {
				return spec.OwnComponent
			}
		}
		return "neither stock nor own"
	}
	return spec.StockComponent
}

// imageName is the last part of an image's repository.
func imageName(image string) string {
	image = image[strings.LastIndex(image, "/")+1:]
	if end := strings.IndexAny(image, ":@"); end >= 0 {
		image = image[:end]
	}
	return image
}

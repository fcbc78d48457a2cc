package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

func nodes(ctx context.Context, client kubernetes.Interface) ([]spec.Node, error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var found []spec.Node
	for _, n := range list.Items {
		info := n.Status.NodeInfo
		found = append(found, spec.Node{
			Name:        n.Name,
			Kubelet:     info.KubeletVersion,
			Runtime:     info.ContainerRuntimeVersion,
			OS:          info.OperatingSystem,
			Arch:        info.Architecture,
			Schedulable: schedulable(n),
		})
	}
	slices.SortFunc(found, func(a, b spec.Node) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// schedulable is whether a pod without tolerations can run on the node.
func schedulable(n corev1.Node) bool {
	ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	tainted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	})
	return ready && !tainted && !n.Spec.Unschedulable
}

// replaceable are the components that this project has too, by the label of their
// pods, with their name in a stack and that of the image of ours.
//
//nolint:gochecknoglobals // a table
var replaceable = map[string]struct{ name, image string }{
	"kube-scheduler": {"scheduler", "dra-scheduler"},
}

// components finds the control plane components that run as pods of kube-system,
// as kubeadm and kind run them, with the version of their image, and whose they
// are. Where they run elsewhere, or may not be seen, they are missing.
func components(ctx context.Context, client kubernetes.Interface) (found, stack map[string]string) {
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil
	}
	found, stack = map[string]string{}, map[string]string{}
	for _, pod := range pods.Items {
		name := pod.Labels["component"]
		if pod.Labels["k8s-app"] == "kube-proxy" {
			name = "kube-proxy"
		}
		if name == "" || len(pod.Spec.Containers) == 0 {
			continue
		}
		image := pod.Spec.Containers[0].Image
		found[name] = imageVersion(image)
		if r, ok := replaceable[name]; ok {
			stack[r.name] = spec.StockComponent
			if imageName(image) == r.image {
				stack[r.name] = spec.OwnComponent
			}
		}
	}
	return found, stack
}

// imageName is the last part of an image's repository.
func imageName(image string) string {
	image = image[strings.LastIndex(image, "/")+1:]
	if end := strings.IndexAny(image, ":@"); end >= 0 {
		image = image[:end]
	}
	return image
}

// imageVersion is the tag of an image reference, or "unknown".
func imageVersion(image string) string {
	image, _, _ = strings.Cut(image, "@")
	colon := strings.LastIndex(image, ":")
	if colon < strings.LastIndex(image, "/") || colon < 0 {
		return "unknown"
	}
	return image[colon+1:]
}

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

package probe

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The labels of replaceable components' pods, and the images of ours.
const (
	stockScheduler         = "kube-scheduler"
	ownScheduler           = "dra-scheduler"
	stockControllerManager = "kube-controller-manager"
	ownControllerManager   = "dra-controller-manager"
	claimController        = "resourceclaim-controller"
	kubelet                = "kubelet"
)

// running identifies the components this project has, too: its own or Kubernetes', by name and version. The
// provenance is determined elsewhere.
func running(pods map[string][]corev1.Pod, nodes []spec.Node) []spec.Component {
	var all []spec.Component
	for _, pod := range pods[stockScheduler] {
		all = append(all, ofPod(spec.Scheduler, stockScheduler, ownScheduler, pod))
	}
	for _, pod := range pods[stockControllerManager] {
		all = append(all, controllers(pod, pods[ownControllerManager])...)
	}
	if len(pods[stockControllerManager]) == 0 { // invisible, as in managed clusters; ours identifies itself
		for _, pod := range pods[ownControllerManager] {
			all = append(all, ofPod(spec.Controllers, stockControllerManager, ownControllerManager, pod))
		}
	}
	for _, n := range nodes {
		if !n.Simulated { // a kubelet runs there
			all = append(all, ofNode(n))
		}
	}
	slices.SortStableFunc(all, func(a, b spec.Component) int {
		return strings.Compare(a.Name+"/"+a.Node, b.Name+"/"+b.Node)
	})
	return slices.Compact(all)
}

// controllers returns the pods doing the work delegated by a controller manager.
func controllers(manager corev1.Pod, own []corev1.Pod) []spec.Component {
	c := manager.Spec.Containers[0]
	for _, arg := range slices.Concat(c.Command, c.Args) {
		value, ok := strings.CutPrefix(arg, "--controllers=")
		if !ok || !strings.Contains(","+value+",", ",-"+claimController+",") {
			continue
		}
		var all []spec.Component
		for _, pod := range own {
			all = append(all, ofPod(spec.Controllers, stockControllerManager, ownControllerManager, pod))
		}
		if len(all) == 0 {
			all = append(all, spec.Component{Name: spec.Controllers, Program: claimController, Node: manager.Spec.NodeName, Whose: spec.Other,
				Why: "kube-controller-manager has it disabled, and no other program was found"})
		}
		return all
	}
	return []spec.Component{ofPod(spec.Controllers, stockControllerManager, ownControllerManager, manager)}
}

// stockRepositories are where Kubernetes publishes its images.
//
//nolint:gochecknoglobals // a table
var stockRepositories = []string{"registry.k8s.io", "k8s.gcr.io"}

// ofPod identifies a pod by its image and program.
func ofPod(name, stock, own string, pod corev1.Pod) spec.Component {
	container := pod.Spec.Containers[0]
	c := spec.Component{
		Name: name, Program: stock, Node: pod.Spec.NodeName, Whose: spec.Other,
		Version: imageVersion(container.Image), Image: container.Image, Digest: digestOf(pod, container.Name),
	}
	repository := imageRepository(container.Image)
	switch {
	case imageName(container.Image) == own:
		c.Program, c.Whose = own, spec.Own
	case !slices.Contains(stockRepositories, path.Dir(repository)) || path.Base(repository) != stock:
		c.Why = fmt.Sprintf("its image is %s, not %s/%s", container.Image, stockRepositories[0], stock)
	case len(container.Command) > 0 && path.Base(container.Command[0]) != stock:
		c.Why = fmt.Sprintf("its container runs %s", container.Command[0])
	case c.Version == noVersion:
		c.Whose = spec.Stock
	default:
		if c = c.Judge(); c.Why != "" {
			c.Why = fmt.Sprintf("its image is %s, and %s", container.Image, c.Why)
		}
	}
	return c
}

func ofNode(n spec.Node) spec.Component {
	c := spec.Component{Name: spec.Kubelet, Program: kubelet, Node: n.Name, Version: n.Kubelet, Whose: spec.Own}
	if strings.HasSuffix(n.Kubelet, spec.OwnKubeletMark) {
		return c
	}
	return c.Judge()
}

// digestOf extracts the digest of a container runtime's image ID: of its configuration, as "sha256:0123…", or, after
// a repository name, of its manifest.
func digestOf(pod corev1.Pod, container string) string {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container {
			return status.ImageID[strings.LastIndexAny(status.ImageID, "@/")+1:]
		}
	}
	return ""
}

func imageRepository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		image = image[:colon]
	}
	return image
}

// imageName is the last part of an image's repository.
func imageName(image string) string { return path.Base(imageRepository(image)) }

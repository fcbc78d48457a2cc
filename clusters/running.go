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

package clusters

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

// systemNamespace is where control plane components run as pods.
const systemNamespace = "kube-system"

// atOnce limits concurrent log downloads.
const atOnce = 4

// RunningVersions are the versions running in a cluster.
type RunningVersions struct {
	// Server is the API server's version, as "v1.37.1".
	Server string        `json:"server"`
	Nodes  []RunningNode `json:"nodes"`
	// Images are the images of the pods in kube-system by container.
	Images []RunningImage `json:"images,omitempty"`
}

// RunningNode is one node's software.
type RunningNode struct {
	Name    string `json:"name"`
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	Kernel  string `json:"kernel"`
	OS      string `json:"os"`
}

// RunningImage is one container of kube-system.
type RunningImage struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Image     string `json:"image"`
}

// FindVersions reads the versions running in a cluster. Unreadable ones are missing and named in the error.
func FindVersions(ctx context.Context, client kubernetes.Interface) (RunningVersions, error) {
	var found RunningVersions
	var errs []error
	if version, err := discovery.ToDiscoveryInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx); err != nil {
		errs = append(errs, fmt.Errorf("read the server's version: %w", err))
	} else {
		found.Server = version.GitVersion
	}
	if nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err != nil {
		errs = append(errs, fmt.Errorf("list nodes: %w", err))
	} else {
		for _, n := range nodes.Items {
			info := n.Status.NodeInfo
			found.Nodes = append(found.Nodes, RunningNode{
				Name: n.Name, Kubelet: info.KubeletVersion, Runtime: info.ContainerRuntimeVersion,
				Kernel: info.KernelVersion, OS: info.OSImage,
			})
		}
	}
	pods, err := client.CoreV1().Pods(systemNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return found, errors.Join(append(errs, fmt.Errorf("list the pods in %s: %w", systemNamespace, err))...)
	}
	for _, pod := range pods.Items {
		for _, c := range pod.Spec.Containers {
			found.Images = append(found.Images, RunningImage{Pod: pod.Name, Container: c.Name, Image: c.Image})
		}
	}
	slices.SortFunc(found.Images, func(a, b RunningImage) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
	})
	return found, errors.Join(errs...)
}

// WriteVersions writes the result of FindVersions to versions.json in dir.
func WriteVersions(ctx context.Context, client kubernetes.Interface, dir string) error {
	found, findErr := FindVersions(ctx, client)
	data, err := json.MarshalIndent(found, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "versions.json"), append(data, '\n'), 0o644)
	}
	return errors.Join(findErr, err)
}

// WriteLogs writes the logs of the containers in kube-system into dir, one file per container. The error names
// unreadable ones.
func WriteLogs(ctx context.Context, client kubernetes.Interface, dir string) error {
	pods, err := client.CoreV1().Pods(systemNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the pods in %s: %w", systemNamespace, err)
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	var failed []*error
	for _, pod := range pods.Items {
		for _, c := range pod.Spec.Containers {
			result := new(error)
			failed = append(failed, result)
			group.Go(func() error {
				path := filepath.Join(dir, pod.Name+"_"+c.Name+".log")
				*result = writeLog(ctx, client, pod, c.Name, path)
				return nil // a missing log does not affect the others
			})
		}
	}
	_ = group.Wait()
	var errs []error
	for _, result := range failed {
		errs = append(errs, *result)
	}
	return errors.Join(errs...)
}

func writeLog(ctx context.Context, client kubernetes.Interface, pod corev1.Pod, container, path string) (err error) {
	stream, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: container, Timestamps: true}).Stream(ctx)
	if err != nil {
		return fmt.Errorf("read the log of pod %s, container %s: %w", pod.Name, container, err)
	}
	defer func() { _ = stream.Close() }()
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the log of pod %s: %w", pod.Name, err)
	}
	_, err = io.Copy(f, stream)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("copy the log of pod %s, container %s: %w", pod.Name, container, err)
	}
	return nil
}

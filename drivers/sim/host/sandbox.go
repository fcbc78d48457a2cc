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

package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// The kubelet's labels of pod sandboxes.
const (
	labelNamespace = "io.kubernetes.pod.namespace"
	labelPod       = "io.kubernetes.pod.name"
)

// StopSandbox stops the sandboxes of a pod with all containers through the container runtime of the node with its
// root file system at root, as a reboot of the node does.
func StopSandbox(ctx context.Context, root, namespace, pod string) error {
	runtime, closeRuntime, err := anyRuntime(root)
	if err != nil {
		return err
	}
	defer closeRuntime()
	list, err := runtime.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{Filter: &cri.PodSandboxFilter{
		LabelSelector: map[string]string{labelNamespace: namespace, labelPod: pod},
		State:         &cri.PodSandboxStateValue{State: cri.PodSandboxState_SANDBOX_READY},
	}})
	if err != nil {
		return fmt.Errorf("find the sandbox of pod %s/%s: %w", namespace, pod, err)
	}
	if len(list.GetItems()) == 0 {
		return fmt.Errorf("pod %s/%s has no sandbox on this node", namespace, pod)
	}
	var errs []error
	for _, sandbox := range list.GetItems() {
		errs = append(errs, stopSandbox(ctx, runtime, sandbox.GetId()))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop the sandbox of pod %s/%s: %w", namespace, pod, err)
	}
	return nil
}

// stopSandbox stops a sandbox. When its containers end, the kubelet stops it, too, and of two simultaneous calls one may
// fail to remove the network. Only a sandbox that stays ready is an error.
func stopSandbox(ctx context.Context, runtime cri.RuntimeServiceClient, id string) error {
	_, err := runtime.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: id})
	if err == nil {
		return nil
	}
	s, statusErr := runtime.PodSandboxStatus(ctx, &cri.PodSandboxStatusRequest{PodSandboxId: id})
	if statusErr == nil && s.GetStatus().GetState() == cri.PodSandboxState_SANDBOX_NOTREADY {
		return nil
	}
	return errors.Join(err, statusErr)
}

func anyRuntime(root string) (cri.RuntimeServiceClient, func(), error) {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(runtimes())) {
		runtime, closeRuntime, err := dialRuntime(root, name)
		if err == nil {
			return runtime, closeRuntime, nil
		}
		errs = append(errs, err)
	}
	return nil, nil, errors.Join(errs...)
}

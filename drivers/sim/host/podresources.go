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
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// maxAnswer bounds the kubelet's answer about all pods of a node, in bytes.
const maxAnswer = 16 << 20

// PodResources queries the kubelet behind a podresources socket for the devices of a pod, with both methods, and for
// all devices.
func PodResources(ctx context.Context, socket, namespace, pod string) (spec.PodResources, error) {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)))
	if err != nil {
		return spec.PodResources{}, fmt.Errorf("ask the kubelet for its podresources: %w", err)
	}
	defer func() { _ = conn.Close() }()
	client := podresources.NewPodResourcesListerClient(conn)
	all, err := client.List(ctx, &podresources.ListPodResourcesRequest{})
	if err != nil {
		return spec.PodResources{}, fmt.Errorf("list podresources: %w", err)
	}
	one, err := client.Get(ctx, &podresources.GetPodResourcesRequest{PodNamespace: namespace, PodName: pod})
	if err != nil {
		return spec.PodResources{}, fmt.Errorf("get podresources of %s/%s: %w", namespace, pod, err)
	}
	allocatable, err := client.GetAllocatableResources(ctx, &podresources.AllocatableResourcesRequest{})
	if err != nil {
		return spec.PodResources{}, fmt.Errorf("get allocatable resources: %w", err)
	}
	found := spec.PodResources{Get: devices(one.GetPodResources())}
	for _, p := range all.GetPodResources() {
		if p.GetNamespace() != namespace {
			continue
		}
		found.Pods = append(found.Pods, p.GetName())
		if p.GetName() == pod {
			found.List = append(found.List, devices(p)...)
			for _, c := range p.GetContainers() {
				found.Containers = append(found.Containers, c.GetName())
			}
		}
	}
	for _, d := range allocatable.GetDevices() {
		found.Allocatable = append(found.Allocatable, d.GetDeviceIds()...)
	}
	return found, nil
}

func devices(pod *podresources.PodResources) []spec.ContainerDevice {
	var found []spec.ContainerDevice
	for _, container := range pod.GetContainers() {
		for _, claim := range container.GetDynamicResources() {
			for _, device := range claim.GetClaimResources() {
				d := spec.ContainerDevice{Container: container.GetName(), Namespace: claim.GetClaimNamespace(), Claim: claim.GetClaimName(),
					Driver: device.GetDriverName(), Pool: device.GetPoolName(), Device: device.GetDeviceName(), Share: device.GetShareId()}
				for _, id := range device.GetCdiDevices() {
					d.CDIDevices = append(d.CDIDevices, id.GetName())
				}
				found = append(found, d)
			}
		}
	}
	return found
}

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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runtimes maps names of container runtimes in container statuses to their sockets.
func runtimes() map[string]string {
	return map[string]string{"containerd": "run/containerd/containerd.sock", "cri-o": "run/crio/crio.sock"}
}

// CDIDevices queries a node's container runtime, with its root file system at root, for the CDI devices of a
// container; its ID is that of a pod's status, as "containerd://0123…". Errors: the runtime is unknown or does not
// report them.
func CDIDevices(ctx context.Context, root, container string) ([]string, error) {
	name, id, _ := strings.Cut(container, "://")
	runtime, closeRuntime, err := dialRuntime(root, name)
	if err != nil {
		return nil, err
	}
	defer closeRuntime()
	status, err := runtime.ContainerStatus(ctx, &cri.ContainerStatusRequest{ContainerId: id, Verbose: true})
	if err != nil {
		return nil, fmt.Errorf("ask %s for container %s: %w", name, id, err)
	}
	return cdiDevices(status.GetInfo())
}

// dialRuntime connects to a container runtime by its name in container statuses.
func dialRuntime(root, name string) (cri.RuntimeServiceClient, func(), error) {
	socket, known := runtimes()[name]
	if !known {
		return nil, nil, fmt.Errorf("container runtime %q is unknown", name)
	}
	socket = filepath.Join(root, socket)
	if _, err := os.Stat(socket); err != nil {
		return nil, nil, fmt.Errorf("find the socket of %s: %w", name, err)
	}
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to %s: %w", name, err)
	}
	return cri.NewRuntimeServiceClient(conn), func() { _ = conn.Close() }, nil
}

// cdiDevices parses the runtime's container information, which has the kubelet's configuration.
func cdiDevices(info map[string]string) ([]string, error) {
	var told struct {
		Config *cri.ContainerConfig `json:"config"`
	}
	if err := json.Unmarshal([]byte(info["info"]), &told); err != nil {
		return nil, fmt.Errorf("read a container's state from the container runtime: %w", err)
	}
	if told.Config == nil {
		return nil, errors.New("the container runtime does not tell the configuration of a container")
	}
	names := []string{}
	for _, d := range told.Config.GetCDIDevices() {
		names = append(names, d.GetName())
	}
	return names, nil
}

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

package metrics

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
)

// Forward calls do with a local address forwarded to a pod's port through the API server, even if the program listens
// on loopback only.
func Forward(ctx context.Context, config *rest.Config, client kubernetes.Interface, pod *corev1.Pod, port int, do func(address string) error) error {
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("portforward").URL()
	dialer, err := portforward.NewSPDYOverWebsocketDialer(url, config)
	if err != nil {
		return fmt.Errorf("prepare port-forward: %w", err)
	}
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{"0:" + strconv.Itoa(port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return fmt.Errorf("prepare port-forward: %w", err)
	}
	var forwarding sync.WaitGroup
	failed := make(chan error, 1)
	forwarding.Go(func() { failed <- forwarder.ForwardPorts() })
	defer forwarding.Wait()
	defer close(stop)
	select {
	case <-ready:
	case err := <-failed:
		return fmt.Errorf("open port-forward: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		return fmt.Errorf("open port-forward: %w", err)
	}
	return do(net.JoinHostPort("127.0.0.1", strconv.Itoa(int(ports[0].Local))))
}

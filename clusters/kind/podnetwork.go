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

package kind

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/dra-conformance/dratest/clusters"
)

// podSubnet holds the addresses of all pods; each node gets a part of it.
const podSubnet = "10.244.0.0/16"

const (
	pollInterval = 250 * time.Millisecond
	// networkTimeout bounds each of the two waits after kubeadm; a second or two
	// is usual.
	networkTimeout = 2 * time.Minute
)

// peer is a node as seen by the others. They resolve its name through the engine.
type peer struct {
	Name, PodCIDR string
}

// connect gives pods addresses and routes between nodes. It replaces kindnet, which is in no Go module: on one
// container network, a route per node is enough. A unit on each node maintains them (docs/adr/0015).
func connect(ctx context.Context, client kubernetes.Interface, members []nodes.Node, size int) error {
	peers, err := peersOf(ctx, client, size)
	if err != nil {
		return err
	}
	var group errgroup.Group
	for _, member := range members {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.Name == member.String() })
		if i < 0 {
			return fmt.Errorf("node %s has not registered", member)
		}
		group.Go(func() error {
			conflist, err := conflist(peers[i].PodCIDR)
			if err != nil {
				return err
			}
			var said strings.Builder
			cmd := member.CommandContext(ctx, "sh", "-c", script(peers[i], peers))
			if err := cmd.SetStdin(strings.NewReader(conflist)).SetStdout(io.Discard).SetStderr(&said).Run(); err != nil {
				return fmt.Errorf("on %s: %w: %s", member, err, strings.TrimSpace(said.String()))
			}
			return nil
		})
	}
	return group.Wait()
}

// peersOf waits until all nodes are registered and have their part of podSubnet.
func peersOf(ctx context.Context, client kubernetes.Interface, size int) ([]peer, error) {
	var peers []peer
	err := poll(ctx, func(ctx context.Context) (string, error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		peers = nil
		for _, n := range list.Items {
			if n.Spec.PodCIDR != "" {
				peers = append(peers, peer{Name: n.Name, PodCIDR: n.Spec.PodCIDR})
			}
		}
		if len(peers) < size {
			return fmt.Sprintf("%d of %d nodes have pod addresses", len(peers), size), nil
		}
		return "", nil
	})
	return peers, err
}

func conflist(podCIDR string) (string, error) {
	data, err := json.MarshalIndent(object{
		"cniVersion": "1.0.0",
		"name":       "dratest",
		"plugins": []object{
			{
				"type": "ptp",
				"mtu":  1500,
				"ipam": object{
					"type":    "host-local",
					"dataDir": "/run/cni-ipam-state",
					"routes":  []object{{"dst": "0.0.0.0/0"}},
					"ranges":  [][]object{{{"subnet": podCIDR}}},
				},
			},
			{"type": "portmap", "capabilities": object{"portMappings": true}},
		},
	}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("render the CNI configuration: %w", err)
	}
	return string(data) + "\n", nil
}

// keeper maintains the routes to the pods of other nodes.
//
//go:embed podnetwork.sh
var keeper string

// keeperName is the keeper's name on nodes.
const keeperName = "dratest-podnetwork"

// stopScopes is a drop-in for the units of containers. With cgroup v1 a systemd in a container is not notified of
// empty units; without this, a restarting node waits a minute and a half. The engine allows 10 s in total.
const stopScopes = `[Scope]
TimeoutStopSec=5s
`

// script sets a node up; its standard input is the CNI configuration, written last because it makes the node Ready.
func script(self peer, peers []peer) string {
	args := podSubnet
	for _, p := range peers {
		if p.Name != self.Name {
			args += " " + p.Name + "=" + p.PodCIDR
		}
	}
	unit := `[Unit]
Description=Connects the pods of this node (dratest)

[Service]
ExecStart=/usr/local/bin/` + keeperName + " keep " + args + `
Restart=always

[Install]
WantedBy=multi-user.target
`
	return strings.Join([]string{
		"set -e",
		"cat > /usr/local/bin/" + keeperName + " <<'END'\n" + keeper + "END",
		"chmod 755 /usr/local/bin/" + keeperName,
		"cat > /etc/systemd/system/" + keeperName + ".service <<'END'\n" + unit + "END",
		"mkdir -p /etc/systemd/system/cri-containerd-.scope.d",
		"cat > /etc/systemd/system/cri-containerd-.scope.d/dratest.conf <<'END'\n" + stopScopes + "END",
		keeperName + " once " + args,                   // pods can start as soon as the node is Ready
		"systemctl enable --quiet --now " + keeperName, // rereads all units
		"mkdir -p /etc/cni/net.d",
		"cat > /etc/cni/net.d/.dratest", // containerd watches for *.conflist
		"mv /etc/cni/net.d/.dratest /etc/cni/net.d/10-dratest.conflist",
	}, "\n")
}

// waitReady waits until all nodes can run pods and reach services.
func waitReady(ctx context.Context, client kubernetes.Interface, size int) error {
	err := poll(ctx, func(ctx context.Context) (string, error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		var waiting []string
		for _, n := range list.Items {
			if why := clusters.NotReady(&n); why != "" {
				waiting = append(waiting, n.Name+": "+why)
			}
		}
		if len(waiting) > 0 {
			return strings.Join(waiting, "; "), nil
		}
		proxies, err := client.AppsV1().DaemonSets("kube-system").Get(ctx, "kube-proxy", metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		if int(proxies.Status.NumberReady) < size {
			return fmt.Sprintf("kube-proxy runs on %d of %d nodes", proxies.Status.NumberReady, size), nil
		}
		return "", nil
	})
	if err != nil {
		return fmt.Errorf("wait for all nodes to be ready: %w", err)
	}
	return nil
}

// poll calls check until it returns nothing to wait for. Errors are retried: a starting API server
// returns some.
func poll(ctx context.Context, check func(context.Context) (waiting string, err error)) error {
	var last string
	err := wait.PollUntilContextTimeout(ctx, pollInterval, networkTimeout, true, func(ctx context.Context) (bool, error) {
		waiting, err := check(ctx)
		if ctx.Err() != nil {
			return false, nil // the earlier observation is more useful
		}
		if err != nil {
			last = err.Error()
			return false, nil
		}
		last = waiting
		return waiting == "", nil
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: after %s: %s", clusters.ErrEnvironment, networkTimeout, last)
	}
	return err
}

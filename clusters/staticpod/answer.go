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

package staticpod

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Component is a control plane component run by kubeadm as a static pod.
type Component struct {
	// Name is the name of its pod, container, manifest and lease.
	Name string
	// Host serves HTTPS on Port; empty means the node's loopback address.
	Host string
	Port int
	// Health is the path answering "ok" when ready.
	Health string
	// Leads: only the replica holding the lease works.
	Leads bool
}

// Scheduler returns the kube-scheduler.
func Scheduler() Component {
	return Component{Name: "kube-scheduler", Port: 10259, Health: "/readyz", Leads: true}
}

// ControllerManager returns the kube-controller-manager.
func ControllerManager() Component {
	return Component{Name: "kube-controller-manager", Port: 10257, Health: "/healthz", Leads: true}
}

// APIServer returns the kube-apiserver.
func APIServer() Component { return Component{Name: "kube-apiserver", Port: 6443, Health: "/readyz"} }

// question asks a node for the running containers of component $1 and the metrics at $2, with $3 for its health. It
// uses the administrator's credentials, since access to metrics (version and leadership) is restricted.
const question = `
crictl ps --name "^$1\$" --output json 2>/dev/null |
  jq -r '.containers[] | "container " + .id + " " + (.image.userSpecifiedImage // .image.image)'
at=$2
get() { kubectl --kubeconfig /etc/kubernetes/admin.conf --server "https://$at" --insecure-skip-tls-verify --request-timeout 3s get --raw "$1" 2>/dev/null; }
get "$3" | grep -x ok
get /metrics | grep -E '^(kubernetes_build_info|leader_election_master_status|kubernetes_feature_enabled)[{]'
true`

// Answer is the parsed output of the question.
type Answer struct {
	containers []running
	ready      bool
	// Version is the version the component reports, as "v1.37.1".
	Version string
	leads   bool
	gates   map[string]bool
}

type running struct{ id, image string }

// Ask queries a component on a control plane node.
func Ask(ctx context.Context, on Node, c Component) (Answer, error) {
	at := net.JoinHostPort(cmp.Or(c.Host, "127.0.0.1"), strconv.Itoa(c.Port))
	out, err := on.Run(ctx, nil, "sh", "-c", question, "sh", c.Name, at, c.Health)
	if err != nil {
		return Answer{}, fmt.Errorf("ask %s about %s: %w", on, c.Name, err)
	}
	return parse(out, c), nil
}

func parse(out string, c Component) Answer {
	m := ParseMetrics(out)
	a := Answer{Version: m.Version, gates: m.Gates}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch fields := strings.Fields(line); {
		case line == "ok":
			a.ready = true
		case len(fields) == 3 && fields[0] == "container":
			a.containers = append(a.containers, running{fields[1], fields[2]})
		case strings.HasPrefix(line, "leader_election_master_status{") && strings.Contains(line, `"`+c.Name+`"`):
			a.leads = strings.HasSuffix(line, " 1")
		}
	}
	return a
}

// Works reports whether the component works.
func (a Answer) Works(c Component) bool {
	return len(a.containers) > 0 && a.ready && a.Version != "" && (a.leads || !c.Leads)
}

// String describes the last observation, for a timeout.
func (a Answer) String() string {
	var parts []string
	for _, r := range a.containers {
		parts = append(parts, fmt.Sprintf("container %.12s of %s runs", r.id, r.image))
	}
	if len(parts) == 0 {
		parts = append(parts, "no container runs")
	}
	switch {
	case a.Version == "" && !a.ready:
		parts = append(parts, "nothing answers")
	case !a.ready:
		parts = append(parts, a.Version+" answers and is not ready")
	case a.leads:
		parts = append(parts, a.Version+" answers, is ready and leads")
	default:
		parts = append(parts, a.Version+" answers, is ready and does not lead")
	}
	return strings.Join(parts, "; ")
}

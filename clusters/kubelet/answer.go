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

package kubelet

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
)

// question reads the PID of a node's kubelet, whether it runs program $1, and whether it is healthy.
const question = `pid=$(systemctl show --property MainPID --value kubelet)
[ "$pid" = 0 ] || echo "process $pid"
[ "/proc/$pid/exe" -ef "$1" ] && echo current
curl --silent --fail --max-time 3 http://127.0.0.1:10248/healthz | grep -x ok
true`

// answer is the parsed output of the question.
type answer struct {
	process string // empty if none runs
	current bool   // it runs the installed program
	healthy bool
}

func ask(ctx context.Context, on Node) (answer, error) {
	out, err := on.Run(ctx, nil, "sh", "-c", question, "sh", program)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s about its kubelet: %w", on, err)
	}
	return parse(out), nil
}

func parse(out string) answer {
	var a answer
	for line := range strings.Lines(out) {
		switch line = strings.TrimSpace(line); line {
		case "ok":
			a.healthy = true
		case "current":
			a.current = true
		default:
			if pid, ok := strings.CutPrefix(line, "process "); ok {
				a.process = pid
			}
		}
	}
	return a
}

// works reports whether the installed kubelet is running and healthy.
func (a answer) works() bool { return a.process != "" && a.current && a.healthy }

// String describes the last observation, for a timeout.
func (a answer) String() string {
	switch {
	case a.process == "":
		return "no kubelet runs"
	case !a.current:
		return fmt.Sprintf("process %s runs another program than that in place", a.process)
	case !a.healthy:
		return fmt.Sprintf("process %s is not healthy", a.process)
	default:
		return fmt.Sprintf("process %s is healthy", a.process)
	}
}

var gitVersion = regexp.MustCompile(`^kubernetes_build_info\{.*git_version="([^"]*)"`)

// version is the version a node's kubelet reports.
func version(ctx context.Context, client kubernetes.Interface, node string) (string, error) {
	body, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").Stream(ctx)
	if err != nil {
		return "", fmt.Errorf("read the metrics of the kubelet: %w", err)
	}
	defer func() { _ = body.Close() }()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if found := gitVersion.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("read the metrics of the kubelet: %w", err)
	}
	return "", fmt.Errorf("the metrics of the kubelet hold no version")
}

// shown reports whether the API server shows the node as Ready, with a kubelet of the version: a new kubelet may
// report NotReady first.
func shown(ctx context.Context, client kubernetes.Interface, node, version string) (bool, string) {
	n, err := client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return false, "the API server: " + err.Error()
	}
	if has := n.Status.NodeInfo.KubeletVersion; has != version {
		return false, "the API server shows a kubelet of " + has
	}
	if why := clusters.NotReady(n); why != "" {
		return false, "the node is not ready: " + why
	}
	return true, ""
}

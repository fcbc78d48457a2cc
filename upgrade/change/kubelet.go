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

package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// kubelets is the directory of a node with one kubelet per version.
const kubelets = "/usr/local/lib/dratest/kubelets/"

// kubeletConfig is where kubeadm puts the kubelet's configuration.
const kubeletConfig = "/var/lib/kubelet/config.yaml"

func putKubelet(ctx context.Context, m clusters.Machine, program string, v path.Version) (err error) {
	to := kubelets + v.String()
	f, err := os.Open(program)
	if err != nil {
		return fmt.Errorf("read a kubelet: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read a kubelet: %w", err)
	}
	size := fmt.Sprint(info.Size())
	if _, err := m.Run(ctx, nil, "sh", "-c", `[ "$(stat -c %s "$1")" = "$2" ]`, "sh", to, size); err == nil {
		return nil
	}
	const script = `set -e; mkdir -p "$(dirname "$1")"; cat >"$1.new"; [ "$(stat -c %s "$1.new")" = "$2" ]; chmod 755 "$1.new"; mv -T "$1.new" "$1"`
	if _, err := m.Run(ctx, f, "sh", "-c", script, "sh", to, size); err != nil {
		return fmt.Errorf("copy kubelet %s to %s: %w", v, m, err)
	}
	return nil
}

// restart installs a kubelet at the path of the node's service and restarts it. It completes on the node even if the
// caller gives up. $2 is a pattern of flags written by kubeadm but unknown to the kubelet.
const restart = `set -e
cp "$1" /usr/bin/.kubelet-dratest
systemctl stop kubelet
mv -T /usr/bin/.kubelet-dratest /usr/bin/kubelet
[ -z "$2" ] || sed -i -E "s/ *$2//" /var/lib/kubelet/kubeadm-flags.env
systemctl reset-failed kubelet 2>/dev/null || true
systemctl start kubelet`

// unknownFlags is a pattern of the flags in kubeadm-flags.env missing in a kubelet version: kubeadm v1.34 wrote one
// removed in v1.35.
func unknownFlags(v path.Version) string {
	if v.Minor >= 35 {
		return `--pod-infra-container-image=[^ "]*`
	}
	return ""
}

// kubelet replaces a node's kubelet in place; containers keep running.
func (c Cluster) kubelet(ctx context.Context, step path.Step) (Done, error) {
	m, err := c.machine(step.Place.Node)
	if err != nil {
		return Done{}, err
	}
	// A kubelet without an answer is not done: it may be the cause.
	if waiting, err := c.kubeletReports(ctx, step); err == nil && waiting == "" {
		return Done{}, c.awaitStaticPods(ctx, step)
	}
	if step.Gate != "" {
		if err := switchKubelet(ctx, m, step); err != nil {
			return Done{}, err
		}
	}
	if err := c.down(ctx, m, step); err != nil {
		return Done{}, err
	}
	began := time.Now() // what is done while it is down does not count
	// However the step ends, a stopped kubelet is started.
	if _, err := m.Run(context.WithoutCancel(ctx), nil, "sh", "-c", restart, "sh", kubelets+step.To.Version.String(), unknownFlags(step.To.Version)); err != nil {
		return Done{}, fmt.Errorf("%s: %w", step, err)
	}
	err = c.await(ctx, step, func(ctx context.Context) (string, error) { return c.kubeletReports(ctx, step) })
	if err != nil {
		return Done{}, fmt.Errorf("%w%s", err, lastLogLines(ctx, m))
	}
	done := Done{Downtime: time.Since(began)}
	return done, c.awaitStaticPods(ctx, step)
}

func (c Cluster) down(ctx context.Context, m clusters.Machine, step path.Step) error {
	if c.Down == nil {
		return nil
	}
	if _, err := m.Run(ctx, nil, "systemctl", "stop", "kubelet"); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if err := c.Down(ctx, step); err != nil {
		_, starting := m.Run(context.WithoutCancel(ctx), nil, "systemctl", "start", "kubelet")
		return errors.Join(err, starting)
	}
	return nil
}

// kubeletReports checks a kubelet and its node, and returns the first deviation from the state after a step.
func (c Cluster) kubeletReports(ctx context.Context, step path.Step) (waiting string, err error) {
	node, err := c.Client.CoreV1().Nodes().Get(ctx, step.Place.Node, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	want := step.To.Version.String()
	if has := node.Status.NodeInfo.KubeletVersion; has != want {
		return "the node's kubelet is " + has, nil
	}
	if why := clusters.NotReady(node); why != "" {
		return "the node is not ready: " + why, nil
	}
	raw, err := c.Client.CoreV1().RESTClient().Get().Resource("nodes").Name(step.Place.Node).SubResource("proxy").Suffix("metrics").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	reported := staticpod.ParseMetrics(string(raw))
	if reported.Version != want {
		return "the kubelet says that it is " + reported.Version, nil
	}
	if on, known := reported.Gates[string(step.Gate)]; step.Gate != "" && (!known || on != step.On) {
		return fmt.Sprintf("the kubelet says that %s is %t", step.Gate, on), nil
	}
	return "", nil
}

// switchKubelet writes a feature gate into a kubelet's configuration.
func switchKubelet(ctx context.Context, m clusters.Machine, step path.Step) error {
	text, err := m.Run(ctx, nil, "cat", kubeletConfig)
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	var config map[string]any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return fmt.Errorf("%s: read %s: %w", step, kubeletConfig, err)
	}
	gates, _ := config["featureGates"].(map[string]any)
	if gates == nil {
		gates = map[string]any{}
	}
	gates[string(step.Gate)] = step.On
	config["featureGates"] = gates
	out, err := yaml.Marshal(config)
	if err != nil {
		return fmt.Errorf("%s: write %s: %w", step, kubeletConfig, err)
	}
	const script = `set -e; cat >"$1.new"; [ "$(stat -c %s "$1.new")" = "$2" ]; mv -T "$1.new" "$1"`
	if _, err := m.Run(ctx, strings.NewReader(string(out)), "sh", "-c", script, "sh", kubeletConfig, fmt.Sprint(len(out))); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	return nil
}

func lastLogLines(ctx context.Context, m clusters.Machine) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	out, err := m.Run(ctx, nil, "journalctl", "--unit=kubelet", "--lines=8", "--no-pager", "--output=cat")
	if err != nil || strings.TrimSpace(out) == "" {
		return ""
	}
	return "; the kubelet's log ends:\n" + strings.TrimSpace(out)
}

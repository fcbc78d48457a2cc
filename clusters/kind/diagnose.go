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
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// diagnosis prints why a node's components do not run: the last lines of the kubelet and of exited control plane
// containers.
const diagnosis = `
systemctl is-active --quiet kubelet ||
  journalctl -u kubelet -o cat --no-pager -n 300 | grep -E '^E[0-9]{4}|^F[0-9]{4}|[Ff]ailed|unrecognized|unknown' | tail -n 2
for id in $(crictl ps -a -q --state Exited 2>/dev/null | head -n 6); do
  crictl logs --tail 400 "$id" 2>&1 | grep -E '^E[0-9]{4}|^F[0-9]{4}|^Error|^error|"command failed"|invalid|unrecognized' | tail -n 1
done
true`

// diagnose returns the diagnosis of the nodes of a failed cluster, one line each; empty if nothing was found.
func (s parts) diagnose(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	members, err := s.maker.ListNodes(name)
	if err != nil {
		return ""
	}
	said := make([]string, len(members))
	var wg sync.WaitGroup
	for i, member := range members {
		wg.Go(func() { said[i] = ask(ctx, member) })
	}
	wg.Wait()
	return strings.TrimRight(strings.Join(said, ""), "\n")
}

func ask(ctx context.Context, member nodes.Node) string {
	var out strings.Builder
	if err := member.CommandContext(ctx, "sh", "-c", diagnosis).SetStdout(&out).SetStderr(io.Discard).Run(); err != nil {
		return ""
	}
	var lines strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSpace(line)
		if line != "" && !seen[line] {
			seen[line] = true
			fmt.Fprintf(&lines, "  %s: %s\n", member, line)
		}
	}
	return lines.String()
}

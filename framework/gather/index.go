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

package gather

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/audit"
)

// IndexFile lists the collected files.
const IndexFile = "index.md"

// confidential explains the removed and the remaining confidential data.
const confidential = `Secrets and ConfigMaps were not read. Removed from objects and CDI specs: values of environment variables, commands, probes and last
messages of containers, annotations, opaque parameters, data of devices, arguments of hooks and values of mount options. Removed from
all files, from 8 characters on: values of environment variables of all pods, and commands and annotations of those outside of
kube-system; also credentials of known formats.

Logs can still contain shorter values, values from Secrets, opaque parameters, and values of pods that were deleted before this was
gathered: read logs before you hand them on.
`

// index writes the list of files, findings and read errors.
func (g *gathering) index(version string, w world) {
	var b strings.Builder
	fmt.Fprintf(&b, "# DRA evidence of a cluster with Kubernetes %s\n\nLogs begin at %s.\n\n%s\n", version, g.Since.UTC().Format(time.RFC3339), confidential)
	fmt.Fprintf(&b, "resource.k8s.io: %s\n", w.version)
	for _, k := range w.kinds {
		fmt.Fprintf(&b, "%s: %d\n", k.name, len(k.items))
	}
	fmt.Fprintf(&b, "nodes: %d\npods: %d, of which %d use claims\n", len(w.Nodes), len(w.Pods), using(w))
	section(&b, "Findings of the audit", g.Violations, func(v audit.Violation) string {
		if v.Rule.Warning() {
			return "warning: " + v.String()
		}
		return v.String()
	})
	section(&b, "Not read", g.Missing, func(m string) string { return m })
	section(&b, "Files", g.Files, func(f Written) string { return fmt.Sprintf("%s (%d bytes)", f.Name, f.Bytes) })
	g.file(IndexFile, []byte(b.String()))
}

func using(w world) (n int) {
	for i := range w.Pods {
		if usesClaims(&w.Pods[i]) {
			n++
		}
	}
	return n
}

func section[T any](b *strings.Builder, title string, items []T, line func(T) string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	if len(items) == 0 {
		b.WriteString("none\n")
	}
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", strings.Join(strings.Fields(line(item)), " "))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

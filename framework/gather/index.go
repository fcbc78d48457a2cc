package gather

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/audit"
)

// IndexFile says what is where.
const IndexFile = "index.md"

// index writes what was gathered, found and missed.
func (g *gathering) index(version string, w world) {
	var b strings.Builder
	fmt.Fprintf(&b, "# DRA evidence of a cluster with Kubernetes %s\n\nLogs begin at %s. Values of environment variables, commands of pods and Secrets are left out.\n\n", version, g.Since.UTC().Format(time.RFC3339))
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

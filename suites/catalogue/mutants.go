package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/prove/components"
)

// RenderMutants returns docs/mutants.md: what is broken on purpose, and who noticed.
func RenderMutants(ofDriver []spec.Mutant, ofComponents []components.Mutant, kills []Kill) []byte {
	found := map[string]Kill{}
	for _, k := range kills {
		found[k.Mutant] = k
	}
	tried, killed := 0, 0
	for _, k := range kills {
		tried++
		if len(k.By) > 0 {
			killed++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Generated with \"make generate\"; do not edit. -->\n"+
		"# Mutants\n\n"+
		"`make mutants` breaks this project's scheduler, controllers, kubelets, drivers of classic DRA, controller of fabrics and dra-whatif,\n"+
		"and the test driver, one way after the other, and checks\n"+
		"that cases notice: of a component's mutant, a case that claims a requirement which the mutant breaks, and that passes without it.\n"+
		"The last time that each was tried, %d of %d were killed; %d of %d have a record.\n",
		killed, tried, tried, len(ofComponents)+len(ofDriver))
	for _, component := range []string{"scheduler", "controllers", "kubelet", "classic", "fabric", "whatif"} {
		fmt.Fprintf(&b, "\n## %s\n\n| mutant | what is broken | requirement | had the bug | killed by | seconds |\n|---|---|---|---|---|---|\n", component)
		for _, m := range ofComponents {
			if m.Component() != component {
				continue
			}
			var requires []string
			for _, id := range m.Requires {
				requires = append(requires, "`"+string(id)+"`")
			}
			had := ""
			if m.Link != "" {
				had = "Kubernetes: " + strings.TrimPrefix(link(m.Link), "none; ")
			}
			k, ok := found[m.ID]
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.ID, m.What, strings.Join(requires, ", "), had, verdict(k, ok))
		}
	}
	b.WriteString("\n## test driver\n\nEach case must notice that says so (`Catches`).\n\n| mutant | what is broken | killed by | seconds |\n|---|---|---|---|\n")
	for _, m := range ofDriver {
		k, ok := found[string(m.ID)]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.ID, m.What, verdict(k, ok))
	}
	return []byte(b.String())
}

// verdict is two columns: who killed a mutant, and in how many seconds.
func verdict(k Kill, ok bool) string {
	switch {
	case !ok:
		return "no record | "
	case len(k.By) == 0:
		return "**survived** | "
	}
	var by []string
	for _, id := range slices.Sorted(slices.Values(k.By)) {
		by = append(by, "`"+id+"`")
	}
	return fmt.Sprintf("%s | %d", strings.Join(by, ", "), k.Seconds)
}

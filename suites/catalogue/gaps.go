package catalogue

import (
	"fmt"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// RenderGaps returns the known gaps of Kubernetes that cases may see, as Markdown.
func RenderGaps(cases []spec.Meta) []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the cases with \"make generate\"; do not edit. -->\n" +
		"# Known gaps of Kubernetes\n\n" +
		"These cases pass with this project's components. With Kubernetes' own, up to the release that is named, they are reported as\n" +
		"known gaps, which fail no run, if they see exactly what is said here. Anything else that they see is a failure.\n\n" +
		"| what must hold | Kubernetes does instead | component | issue | case |\n|---|---|---|---|---|\n")
	for _, c := range cases {
		if gap := c.KnownGap; gap != nil {
			versions := "through " + gap.Through
			if gap.From != "" {
				versions = gap.From + " " + versions
			}
			fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | `%s` |\n", c.Checks, gap.Does, gap.Component, versions, link(gap.Issue), c.ID)
		}
	}
	return []byte(b.String())
}

// link leads to an issue; a file is only named.
func link(issue string) string {
	number, ok := strings.CutPrefix(issue, "kubernetes#")
	if !ok {
		return "none; `" + issue + "`"
	}
	return fmt.Sprintf("[#%s](https://github.com/kubernetes/kubernetes/issues/%s)", number, number)
}

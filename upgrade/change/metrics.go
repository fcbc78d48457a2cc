package change

import (
	"regexp"
	"strings"
)

// metrics is what every Kubernetes component says of itself.
type metrics struct {
	version string
	gates   map[string]bool
}

var (
	gitVersion = regexp.MustCompile(`git_version="([^"]*)"`)
	gateName   = regexp.MustCompile(`name="([^"]*)"`)
)

func parseMetrics(text string) metrics {
	m := metrics{gates: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "kubernetes_build_info{") {
			if found := gitVersion.FindStringSubmatch(line); found != nil {
				m.version = found[1]
			}
		}
		if strings.HasPrefix(line, "kubernetes_feature_enabled{") {
			if found := gateName.FindStringSubmatch(line); found != nil {
				m.gates[found[1]] = strings.HasSuffix(line, " 1")
			}
		}
	}
	return m
}

package staticpod

import (
	"regexp"
	"strings"
)

// Metrics is what every Kubernetes component says of itself in its metrics.
type Metrics struct {
	// Version is as "v1.37.1", and empty if it is not said.
	Version string
	// Gates says of each feature gate that the component has whether it is on.
	Gates map[string]bool
}

var (
	gitVersion = regexp.MustCompile(`git_version="([^"]*)"`)
	gateName   = regexp.MustCompile(`name="([^"]*)"`)
)

// ParseMetrics reads them from Prometheus' text format, or from some of its lines.
func ParseMetrics(text string) Metrics {
	m := Metrics{Gates: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "kubernetes_build_info{") {
			if found := gitVersion.FindStringSubmatch(line); found != nil {
				m.Version = found[1]
			}
		}
		if strings.HasPrefix(line, "kubernetes_feature_enabled{") {
			if found := gateName.FindStringSubmatch(line); found != nil {
				m.Gates[found[1]] = strings.HasSuffix(line, " 1")
			}
		}
	}
	return m
}

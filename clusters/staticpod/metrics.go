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
	"regexp"
	"strings"
)

// Metrics is the common part of every Kubernetes component's metrics.
type Metrics struct {
	// Version is as "v1.37.1", empty if unknown.
	Version string
	// Gates maps each feature gate of the component to its state.
	Gates map[string]bool
}

var (
	gitVersion = regexp.MustCompile(`git_version="([^"]*)"`)
	gateName   = regexp.MustCompile(`name="([^"]*)"`)
)

// ParseMetrics parses Prometheus' text format, or some of its lines.
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

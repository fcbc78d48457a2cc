package plugin

import "github.com/dra-conformance/dratest/implementation/scheduler"

// Factory makes the plugin as kube-scheduler runs it. It reads the process's
// feature gates when a plugin is made.
func Factory() *scheduler.Factory {
	return scheduler.NewFactory(scheduler.Config{Features: features, Metrics: metrics{}})
}

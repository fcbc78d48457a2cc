package harness

import (
	"flag"
	"fmt"
	"os"
	"testing"

	_ "k8s.io/component-base/logs/json/register" // as upstream's own runs have it
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	perf "k8s.io/kubernetes/test/integration/scheduler_perf"
)

// workloadFile and plugin are what the parent process adds to the flags of
// scheduler_perf and of Go's testing package.
var (
	workloadFile = flag.String("workload-file", "", "the workload file, relative to the working directory")
	plugin       = flag.String("plugin", names.DynamicResources, "the plugin that the configuration enables: "+names.DynamicResources+" or "+ownName)
)

func TestMain(m *testing.M) {
	if err := perf.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// BenchmarkPerfScheduling has the name that scheduler_perf shortens in its
// results. Which workload runs is chosen with -test.bench.
//
// Upstream's benchmarks pin one of the three allocators of the structured
// package; here the plugin takes the one that its features ask for, as
// kube-scheduler does.
func BenchmarkPerfScheduling(b *testing.B) {
	if *workloadFile == "" {
		b.Fatal("no -workload-file: this is run by bench-scheduler")
	}
	collectFor(*plugin)
	perf.RunBenchmarkPerfScheduling(b, *workloadFile, *plugin, frameworkruntime.Registry{ownName: own})
}

// collectFor makes scheduler_perf record the durations of the plugin. Its metrics
// configuration took the list of names over when the package was initialised, so
// the list can only be changed in place.
func collectFor(plugin string) {
	for i, name := range perf.PluginNames {
		if name == names.DynamicResources {
			perf.PluginNames[i] = plugin
		}
	}
}

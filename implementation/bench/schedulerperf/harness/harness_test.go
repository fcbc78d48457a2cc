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

// workloadFile and plugin are additional flags from the parent process.
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

// BenchmarkPerfScheduling has a name that scheduler_perf shortens in its results. -test.bench
// selects the workload.
//
// Upstream's benchmarks pin one of the three allocators of the structured package; here the plugin
// chooses one by its features, like kube-scheduler.
func BenchmarkPerfScheduling(b *testing.B) {
	if *workloadFile == "" {
		b.Fatal("no -workload-file: this is run by bench-scheduler")
	}
	collectFor(*plugin)
	perf.RunBenchmarkPerfScheduling(b, *workloadFile, *plugin, frameworkruntime.Registry{ownName: own})
}

// collectFor makes scheduler_perf record the durations of the plugin. Its metrics configuration
// copied the list of names during package initialization, so the list can only be changed in place.
func collectFor(plugin string) {
	for i, name := range perf.PluginNames {
		if name == names.DynamicResources {
			perf.PluginNames[i] = plugin
		}
	}
}

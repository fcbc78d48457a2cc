// Command dra-scheduler is kube-scheduler with this project's plugin for dynamic
// resource allocation in place of the built-in DynamicResources. config.yaml is
// the configuration that puts it there. With config-classic.yaml it has the plugin for
// classic DRA, too, where the definitions of classic DRA are installed.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	classic "github.com/dra-conformance/dratest/implementation/classic/scheduler"
	"github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(
		app.WithPlugin(scheduler.Name, plugin.Factory().New),
		app.WithPlugin(classic.Name, classic.NewFactory(classic.Config{}).New),
	)))
}

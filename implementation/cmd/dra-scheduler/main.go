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

// Command dra-scheduler is kube-scheduler with this project's plugin for dynamic resource allocation
// instead of the built-in DynamicResources. config.yaml enables the plugin. config-classic.yaml also
// enables the plugin for classic DRA, on clusters with the definitions of classic DRA.
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

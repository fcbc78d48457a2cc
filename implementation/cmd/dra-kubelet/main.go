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

// Command dra-kubelet is the kubelet with this project's DRA manager instead of the built-in one. It
// uses the kubelet's flags and files. Either kubelet can take over a node with running pods from the
// other.
package main

import (
	"context"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-kubelet/containermanager"
	"github.com/dra-conformance/dratest/implementation/cmd/dra-kubelet/startup"
)

func main() {
	os.Exit(cli.Run(startup.Command(context.Background(), containermanager.Run)))
}

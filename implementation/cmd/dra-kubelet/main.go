// Command dra-kubelet is the kubelet with this project's DRA manager in place of the
// built-in one. It takes the kubelet's flags and files, and leaves behind what the
// kubelet would: either can take over a node from the other, with its pods running.
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

package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-controller-manager/app"
)

func main() {
	os.Exit(cli.Run(app.NewCommand()))
}

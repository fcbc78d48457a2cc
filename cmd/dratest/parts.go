package main

import (
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/runner"
	"github.com/dra-conformance/dratest/suites"
)

// podImage is what cases' pods run; node images have it.
const podImage = "dratest.io/busybox:1"

// parts are what a process that runs cases needs; the command adds a provider.
func parts() runner.Parts {
	return runner.Parts{Cases: suites.All(), Agents: runner.Sim{}}
}

func simAgents(image string) runner.Sim {
	return runner.Sim{Config: deploy.Config{Image: image}}
}

package main

import (
	"github.com/dra-conformance/dratest/clusters/images/suite"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/companions"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// podImage is what cases' pods run; node images have it.
const podImage = suite.Busybox

// parts are what a process that runs cases needs; the command adds a provider.
func parts() run.Parts {
	return run.Parts{Cases: suites.All(), Requirements: requirements.All(), Parts: testbed.Parts{Agents: testbed.Sim{}, Companions: companions.All()}}
}

func simAgents(image string) testbed.Sim {
	return testbed.Sim{Config: deploy.Config{Image: image}}
}

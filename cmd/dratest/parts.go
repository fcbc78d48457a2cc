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

// podImage is the image for pods of cases, preloaded in node images.
const podImage = suite.Busybox

// parts returns all parts of a run except its provider.
func parts() run.Parts {
	return run.Parts{Cases: suites.All(), Requirements: requirements.All(), Parts: testbed.Parts{Agents: testbed.Sim{}, Companions: companions.All()}}
}

func simAgents(image string) testbed.Sim {
	return testbed.Sim{Config: deploy.Config{Image: image}}
}

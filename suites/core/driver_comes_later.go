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

package core

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverComesLater schedules a pod while its driver is down.
var DriverComesLater = harness.Case{Meta: spec.Meta{
	ID:       "core/driver-comes-later",
	Checks:   "A pod scheduled while its driver is down reports that in an event, and starts once its claim is prepared.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/prepare-retried", "kep-4381/registration"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	simdriver.Of(t).Disconnect()

	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "FailedPrepareDynamicResources", t.DriverName())
	simdriver.Of(t).Connect()

	started := t.WaitRunning("pod").Status.ContainerStatuses[0].State.Running.StartedAt.Time
	calls := simdriver.Of(t).Calls(spec.Prepare, "claim")
	t.Expect(calls).To(gomega.HaveLen(1), "NodePrepareResources calls")
	t.Expect(started).To(gomega.BeTemporally(">=", calls[0].Start.Truncate(time.Second)), "start of the container, and the call preparing its claim")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device")
}}

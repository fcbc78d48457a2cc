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

package simdriver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Upgrade replaces the instances by such that offer these versions of the plugin API
// (all if there are none), as a rolling update does: the new ones are registered
// before the old ones go.
func (d *Driver) Upgrade(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.t.Step("replace the driver by one that offers %v, in rolling fashion", grpc)
	d.change(spec.DriverChange{GRPC: &grpc, Upgrade: true})
	d.each("wait for registration", d.awaitRegistered)
}

// ConnectAs is Connect with instances that offer these versions of the plugin API.
func (d *Driver) ConnectAs(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.change(spec.DriverChange{GRPC: &grpc})
	d.Connect()
}

// ConnectAnnouncing connects instances that tell the kubelet something else of themselves
// than what is true. It returns what the kubelet of the case's first node says to the
// driver: why it does not register it.
func (d *Driver) ConnectAnnouncing(told spec.Announcement) (refusal string) {
	ginkgo.GinkgoHelper()
	d.t.Step("connect the driver again, as one of type %q with the services %v", told.Type, told.Versions)
	d.Announce(told)
	d.change(spec.DriverChange{Disconnect: new(bool)})
	d.t.Poll("the kubelet to refuse the driver", func(ctx context.Context) (bool, string, error) {
		status, err := agentapi.Status(ctx, d.t.Env().Agents, d.t.Nodes[0], d.Name)
		if err != nil {
			return false, "", err
		}
		refusal = status.RegistrationError
		return !status.Registered && refusal != "", refusal, nil
	})
	return refusal
}

// Serve false has the kubelets not reach the instances at the sockets where they call them,
// although they are registered at others; true lets them again.
func (d *Driver) Serve(on bool) {
	ginkgo.GinkgoHelper()
	if on {
		d.t.Step("open the sockets of the driver's service")
	} else {
		d.t.Step("shut the sockets of the driver's service, and leave those of its registration")
	}
	d.change(spec.DriverChange{Serve: &on})
}

// Announce has instances tell the kubelet this of themselves, from their next connection
// on.
func (d *Driver) Announce(told spec.Announcement) {
	ginkgo.GinkgoHelper()
	d.change(spec.DriverChange{Announce: &told})
}

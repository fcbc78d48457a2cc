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
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Disconnect closes and removes the sockets of all instances, like the removal of a driver. The
// kubelets deregister them, and the slices stay.
func (d *Driver) Disconnect() {
	ginkgo.GinkgoHelper()
	d.t.Step("disconnect the driver")
	d.change(spec.DriverChange{Disconnect: ptr.To(true)})
}

// Connect opens the sockets again and waits until the kubelets have registered all instances.
func (d *Driver) Connect() {
	ginkgo.GinkgoHelper()
	d.t.Step("connect the driver again")
	d.change(spec.DriverChange{Disconnect: ptr.To(false)})
	d.onNodes("wait for registration", d.awaitRegistered)
}

// Upgrade replaces all instances by instances with these versions of the plugin API (default: all), as
// a rolling update: the kubelet registers the new instance before the old one stops.
func (d *Driver) Upgrade(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.t.Step("replace the driver by one offering %v, as a rolling update", grpc)
	d.change(spec.DriverChange{GRPC: &grpc, Upgrade: true})
	d.onNodes("wait for registration", d.awaitRegistered)
}

// ConnectAs is Connect with these versions of the plugin API.
func (d *Driver) ConnectAs(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.change(spec.DriverChange{GRPC: &grpc})
	d.Connect()
}

// ConnectAnnouncing connects instances that announce something false to the kubelets. It waits until
// the kubelet of the case's first node refuses to register the driver, and returns its reason.
func (d *Driver) ConnectAnnouncing(announcement spec.Announcement) (refusal string) {
	ginkgo.GinkgoHelper()
	d.t.Step("connect the driver again, as one of type %q with the services %v", announcement.Type, announcement.Versions)
	d.Announce(announcement)
	d.change(spec.DriverChange{Disconnect: new(bool)})
	d.t.Poll("the kubelet to refuse the driver", func(ctx context.Context) (bool, string, error) {
		status, err := d.status(ctx, d.t.Nodes[0])
		if err != nil {
			return false, "", err
		}
		refusal = status.RegistrationError
		return !status.Registered && refusal != "", refusal, nil
	})
	return refusal
}

// Announce sets the announcement of all instances from their next connection on.
func (d *Driver) Announce(announcement spec.Announcement) {
	ginkgo.GinkgoHelper()
	d.change(spec.DriverChange{Announce: &announcement})
}

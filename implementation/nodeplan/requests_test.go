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

package nodeplan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// Device health is published for each of a container's requests.
func TestRequestsOfContainer(t *testing.T) {
	m, p := preparedDevices(t, map[string][]string{"c/d0": {"x"}, "c/d1": {"y"}, "ext/d0": {"container-0-request-0"}})
	uses := &corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{
		Claims:   []corev1.ResourceClaim{{Name: "entry-c", Request: "y"}, {Name: "entry-c"}, {Name: "entry-d"}},
		Requests: corev1.ResourceList{"example.com/gpu": resource.MustParse("1")},
	}}
	requests, err := m.state.ContainerRequests(p, uses)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, request := range requests {
		text := fmt.Sprintf("%s:%s/%s", request.Entry, request.Name, request.Request)
		for _, device := range request.Devices {
			text += " " + device.DeviceName
		}
		got = append(got, text)
	}
	want := "entry-c:c/y d1, entry-c:c/ d0 d1, entry-d:d/, :ext/container-0-request-0 d0"
	if strings.Join(got, ", ") != want {
		t.Errorf("requests are %q, want %q", strings.Join(got, ", "), want)
	}
	if requests, err := newMachine(t).state.ContainerRequests(p, uses); err != nil || len(requests) != 0 {
		t.Errorf("claims that are not here have no devices, got %v, %v", requests, err)
	}
}

func TestUsersOfDevices(t *testing.T) {
	m := newMachine(t, "a", "b")
	for _, name := range []string{"q", "p"} {
		m.reserve(claim("c-"+name, "a"), pod(name))
		done(t, m.run(pod(name, "c-"+name)))
	}
	m.reserve(claim("other", "b"), pod("r"))
	done(t, m.run(pod("r", "other")))
	users := m.state.Users("a", func(pool, device string) bool { return pool == "pool" && device == "dev" })
	if len(users) != 2 || users[0] != "p" || users[1] != "q" {
		t.Errorf("wrong pods: %v", users)
	}
	if users := m.state.Users("a", func(string, string) bool { return false }); len(users) != 0 {
		t.Errorf("wrong pods: %v", users)
	}
}

// A rebuilt checkpoint has no devices: containers must not start without them.
func TestDevicesThatAreNotKnown(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	rebuilt := nodeplan.WriteCheckpoint{Claims: nodeplan.Rebuild([]nodeplan.Pod{m.wants(p)})}
	if err := m.write(rebuilt); err != nil {
		t.Fatal(err)
	}
	m.restart()
	uses := &corev1.Container{Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry-c"}}}}
	incomplete := func() bool {
		claims, err := m.state.ContainerClaims(p, uses)
		if err != nil || len(claims) != 1 {
			t.Fatalf("unexpected answer: %v, %v", claims, err)
		}
		return claims[0].Incomplete
	}
	if !incomplete() {
		t.Error("devices are not known, but nobody says so")
	}
	m.disk = errors.New("read-only file system")
	failed(t, m.restore(p), "prepare dynamic resources: checkpoint ResourceClaim state: read-only file system")
	m.disk = nil
	m.restart()
	if !incomplete() {
		t.Error("devices are not known after a restart, but nobody says so")
	}
	done(t, m.restore(p))
	if incomplete() {
		t.Error("devices are known")
	}
	m.restart()
	if incomplete() {
		t.Error("devices are in the checkpoint")
	}
}

// Network drivers, for example, need no CDI device and may return no device at all. This is known
// after a restart, and containers can restart without the driver.
func TestNoDevicesAreAnAnswer(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	m.broken(nodeplan.Prepare, "a", nodeplan.Answer{Claims: map[types.UID]nodeplan.ClaimAnswer{"c": {}}})
	done(t, m.run(p))
	m.saw("write", "+a c")
	m.restart()
	uses := &corev1.Container{Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry-c"}}}}
	claims, err := m.state.ContainerClaims(p, uses)
	if err != nil || len(claims) != 1 || claims[0].Incomplete || len(claims[0].Devices) > 0 {
		t.Errorf("unexpected answer: %+v, %v", claims, err)
	}
}

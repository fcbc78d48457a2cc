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

package sanity

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// registered is about: kubernetes-sigs/dranet#251.
var registered = Check{Meta: spec.Meta{
	ID:       "sanity/registered",
	Checks:   "The driver answers at a socket in the kubelet's registration directory and names its plugin socket.",
	Requires: []spec.RequirementID{"kubeletplugin/socket-path-for-kubelet"},
}, Source: "kubernetes-sigs/dranet#251", Once: true, Run: func(t *T) { t.expectRegistered("") }}

// registersAgain is about: kubernetes-sigs/dranet#19.
var registersAgain = Check{Meta: spec.Meta{
	ID:       "sanity/registers-again",
	Checks:   "After a restart, the driver answers at a registration socket again, without a kubelet restart.",
	Requires: []spec.RequirementID{"kubeletplugin/socket-path-for-kubelet"},
}, Source: "kubernetes-sigs/dranet#19", Once: true, Run: func(t *T) {
	t.sockets()
	t.restart(func() {})
	t.expectRegistered(" after it was restarted")
}}

// socketsRemoved is about: kubernetes/kubernetes#128696, kubernetes/kubernetes#132660.
var socketsRemoved = Check{Meta: spec.Meta{
	ID:       "sanity/sockets-removed",
	Checks:   "A driver process leaves no dead registration socket after a graceful shutdown.",
	Requires: []spec.RequirementID{"kubeletplugin/clean-shutdown"},
}, Source: "kubernetes/kubernetes#128696, kubernetes/kubernetes#132660", Once: true, Run: func(t *T) {
	before := dead(t.sockets(), t.Driver)
	t.restart(func() {})
	after := slices.DeleteFunc(dead(t.sockets(), t.Driver), func(path string) bool { return slices.Contains(before, path) })
	if len(after) > 0 {
		t.Failf("nobody answers at %s since the driver was restarted: the kubelet tries to reach it for ever", strings.Join(after, ", "))
	}
}}

// dead returns the sockets named after a driver without a listener.
func dead(all []nodefiles.Socket, driver string) []string {
	var paths []string
	for _, s := range all {
		if s.Dead && spec.Names(driver, filepath.Base(s.Path)) {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// sockets returns the sockets in the kubelet's registration directory.
func (t *T) sockets() []nodefiles.Socket {
	registry, ok := t.NodeAccess.(Registry)
	if !ok {
		t.NotApplicablef("needs to see the kubelet's registry")
	}
	all, err := registry.Registrations(t.ctx)
	t.need(err, "look into the kubelet's registry")
	return all
}

// expectRegistered waits for a driver just started.
func (t *T) expectRegistered(when string) {
	registry, problem := t.NodeAccess.(Registry), ""
	t.sockets()
	t.await(func(ctx context.Context) bool {
		all, err := registry.Registrations(ctx)
		switch {
		case ctx.Err() != nil && problem != "":
			return false // an earlier problem is more specific than the timeout
		case err != nil:
			problem = err.Error()
		default:
			problem = unregistered(all, t.Driver)
		}
		return problem == ""
	})
	if problem != "" {
		t.Failf("driver %s is not registered%s: %s", t.Driver, when, problem)
	}
}

// unregistered returns why a kubelet with these sockets could not reach a driver, "" if it could.
func unregistered(all []nodefiles.Socket, driver string) string {
	problem := "no socket in the registry is the driver's"
	for _, s := range all {
		switch {
		case s.Driver == driver && s.Problem == "":
			return ""
		case s.Driver == driver:
			problem = fmt.Sprintf("%s refers to %s, which cannot be reached: %s", s.Path, s.Endpoint, s.Problem)
		case s.Driver == "" && s.Problem != "" && spec.Names(driver, filepath.Base(s.Path)):
			problem = fmt.Sprintf("%s does not answer: %s", s.Path, s.Problem)
		}
	}
	return problem
}

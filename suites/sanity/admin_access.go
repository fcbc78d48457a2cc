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
	"github.com/dra-conformance/dratest/framework/spec"
)

// adminAccess is about: KEP-5018.
var adminAccess = Check{Meta: spec.Meta{
	ID:       "sanity/admin-access",
	Checks:   "Preparing and unpreparing a claim with admin access leaves the claim using the device unchanged.",
	Requires: []spec.RequirementID{"kep-5018/admin-access-shares"},
}, Source: "KEP-5018", Run: func(t *T) {
	if t.Features != nil && !t.Features[spec.DriverAdminAccess] {
		t.NotApplicablef("needs a driver with feature %s", spec.DriverAdminAccess)
	}
	device := t.Exclusive(1)[0]
	// Created first: if the server does not support admin access, nothing must be prepared.
	admin := t.Claim(nil, Want{Device: device, Request: "req", Admin: true})
	user := t.One(device)
	answer := t.Prepare(user, "a claim")
	before := t.CDI()
	t.Prepare(admin, "a claim with admin access for a device in use")
	t.expect(t.CDI().changed(before, ids(answer)), "the user of the device, after one with admin access came")
	t.Unprepare(admin, "a claim with admin access")
	t.expect(t.CDI().changed(before, ids(answer)), "the user of the device, after one with admin access went")
}}

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

	"github.com/dra-conformance/dratest/framework/spec"
)

// preparedOverUpgrade is about: kubernetes-sigs/dra-driver-nvidia-gpu#1078 and #1066.
var preparedOverUpgrade = Check{Meta: spec.Meta{
	ID:       "sanity/prepared-over-upgrade",
	Checks:   "Claims prepared before an upgrade or a downgrade of the driver can be prepared again and unprepared after it.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares", "kep-4381/prepare-idempotent"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1078, kubernetes-sigs/dra-driver-nvidia-gpu#1066, intel/intel-resource-drivers-for-kubernetes#45", Once: true, Run: func(t *T) {
	if t.Upgrade == nil || t.Downgrade == nil {
		t.NotApplicablef("needs a previous version of the driver: declare hooks.upgrade and hooks.downgrade (-f)")
	}
	device := t.Devices(1)[0]
	before := t.CDI()
	changed := false
	defer func() {
		if changed {
			t.replace(t.Upgrade, "upgrade the driver after the check")
		}
	}()
	for _, step := range []struct {
		name   string
		change func(context.Context) error
		old    bool
	}{{"downgrade", t.Downgrade, true}, {"upgrade", t.Upgrade, false}} {
		claim := t.One(device)
		first := t.Prepare(claim, "a claim before the "+step.name)
		changed = step.old
		t.replace(step.change, step.name+" the driver")
		t.Prepare(claim, "a claim again after the "+step.name)
		t.expect(t.CDI().unresolved(ids(first)), "prepare said success after the "+step.name)
		t.Unprepare(claim, "a claim from before the "+step.name)
		t.expect(t.CDI().left(before, claim, ids(first)), "after the "+step.name+" and unprepare")
		t.Delete(claim)
	}
}}

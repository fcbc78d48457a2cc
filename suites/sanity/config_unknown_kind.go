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
	"encoding/json"
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// configUnknownKind is about: resource.k8s.io/v1, OpaqueDeviceConfiguration. Without kinds the
// configuration must do no harm.
var configUnknownKind = Check{Meta: spec.Meta{
	ID:       "sanity/config-unknown-kind",
	Checks:   "A configuration of an unknown kind is rejected with a message if the driver's configurations have kinds.",
	Requires: []spec.RequirementID{"kep-4381/config-validated-by-driver"},
}, Source: "resource.k8s.io/v1, OpaqueDeviceConfiguration", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	config, hasKind := json.RawMessage(unknown), false
	for _, valid := range t.ValidConfig {
		if changed, ok := otherKind(valid); ok {
			config, hasKind = changed, true
		}
	}
	claim := t.One(device, Config{Requests: []string{"req"}, Parameters: config})
	_, why := t.Try(claim, fmt.Sprintf("a claim with configuration %s", config))
	if why == "" && hasKind {
		t.Failf("prepare says success with configuration %s", config)
	}
	if why == "" {
		t.Notef("the driver takes %s", config)
	} else {
		t.Notef("%s", why)
	}
	t.Unprepare(claim, "a claim with a configuration of an unknown kind")
	t.expect(t.CDI().left(before, claim, nil), "after unprepare")
	t.Delete(claim)
	t.Prepare(t.One(device), "a claim after one with a configuration of an unknown kind")
}}

// otherKind replaces the kind of a configuration, if there is one, by an unknown kind.
func otherKind(config json.RawMessage) (json.RawMessage, bool) {
	var object map[string]any
	if err := json.Unmarshal(config, &object); err != nil || object["kind"] == nil {
		return nil, false
	}
	object["kind"] = "NoSuchKind"
	changed, err := json.Marshal(object)
	return changed, err == nil
}

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
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// content prepares a claim and returns the container's view of a request without claim-specific
// parts. The claim is deleted afterwards.
func (t *T) content(request string, configs []Config, wants ...Want) string {
	return t.contents(configs, wants...)[request]
}

// contents is content for each request of a claim.
func (t *T) contents(configs []Config, wants ...Want) map[string]string {
	claim := t.Claim(configs, wants...)
	answer := t.Prepare(claim, "a claim")
	state := t.CDI()
	views := map[string]string{}
	for _, w := range wants {
		request := resourceclaim.BaseRequestRef(w.Request)
		var contents []string
		for _, d := range answer.GetDevices() {
			if !names(d, request) {
				continue
			}
			for _, id := range d.GetCdiDeviceIds() {
				contents = append(contents, anonymous(state.devices[id], claim))
			}
		}
		slices.Sort(contents)
		views[request] = strings.Join(slices.Compact(contents), " ")
	}
	t.Unprepare(claim, "a claim")
	t.Delete(claim)
	return views
}

func names(d *drapb.Device, request string) bool {
	return len(d.GetRequestNames()) == 0 || slices.ContainsFunc(d.GetRequestNames(), func(name string) bool {
		return resourceclaim.BaseRequestRef(name) == request
	})
}

// anonymous returns a CDI device without the claim's UID and name, including those in names of
// environment variables.
func anonymous(content string, claim *resourceapi.ResourceClaim) string {
	for _, own := range []string{claim.Name, string(claim.UID)} {
		for _, form := range []string{own, strings.ReplaceAll(own, "-", "_")} {
			for _, s := range []string{form, strings.ToUpper(form)} {
				content = strings.ReplaceAll(content, s, "CLAIM")
			}
		}
	}
	return content
}

// visible returns a valid configuration with an effect in containers.
func (t *T) visible(device Device) json.RawMessage { return t.visibles(device)[0] }

// visibles returns the valid configurations with different effects in containers.
func (t *T) visibles(device Device) []json.RawMessage {
	want := Want{Device: device, Request: "req"}
	seen := []string{t.content("req", nil, want)}
	var found []json.RawMessage
	for _, config := range t.ValidConfig {
		view := t.content("req", []Config{{Requests: []string{"req"}, Parameters: config}}, want)
		if !slices.Contains(seen, view) {
			seen, found = append(seen, view), append(found, config)
		}
	}
	if len(found) == 0 {
		t.NotApplicablef("needs a configuration the driver accepts with an effect on the CDI spec: set --valid-config")
	}
	return found
}

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
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// Answer is the driver's answer for a prepared claim.
type Answer = drapb.NodePrepareResourceResponse

func refs(claims ...*resourceapi.ResourceClaim) []*drapb.Claim {
	asked := make([]*drapb.Claim, 0, len(claims))
	for _, c := range claims {
		asked = append(asked, &drapb.Claim{Namespace: c.Namespace, Name: c.Name, Uid: string(c.UID)})
	}
	return asked
}

// prepare calls NodePrepareResources with unmodified claims and returns answers by UID. It is safe
// for concurrent use.
func (t *T) prepare(ctx context.Context, claims ...*resourceapi.ResourceClaim) (map[string]*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.CallTimeout)
	defer cancel()
	response, err := t.plugin(t.version).NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: refs(claims...)})
	return response.GetClaims(), err
}

// unprepare returns each claim's error by UID. It is safe for concurrent use.
func (t *T) unprepare(ctx context.Context, claims ...*resourceapi.ResourceClaim) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.CallTimeout)
	defer cancel()
	response, err := t.plugin(t.version).NodeUnprepareResources(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: refs(claims...)})
	if err != nil {
		return nil, err
	}
	answers := map[string]string{}
	for uid, answer := range response.GetClaims() {
		answers[uid] = answer.GetError()
	}
	return answers, nil
}

// prepareOne returns an error if a claim is not prepared, for any reason.
func (t *T) prepareOne(ctx context.Context, claim *resourceapi.ResourceClaim) (*Answer, error) {
	answers, err := t.prepare(ctx, claim)
	if err != nil {
		return nil, err
	}
	answer := answers[string(claim.UID)]
	if answer == nil {
		return nil, fmt.Errorf("there is no answer for claim %s", claim.UID)
	}
	if answer.GetError() != "" {
		return nil, fmt.Errorf("the answer for the claim is an error: %s", answer.GetError())
	}
	if problem := flooded(answer); problem != "" {
		return nil, errors.New(problem)
	}
	return answer, nil
}

func (t *T) unprepareOne(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	answers, err := t.unprepare(ctx, claim)
	if err != nil {
		return err
	}
	problem, ok := answers[string(claim.UID)]
	if !ok {
		return fmt.Errorf("there is no answer for claim %s", claim.UID)
	}
	if problem != "" {
		return fmt.Errorf("the answer for the claim is an error: %s", problem)
	}
	return nil
}

// Prepare prepares a claim and fails the check on errors.
func (t *T) Prepare(claim *resourceapi.ResourceClaim, when string) *Answer {
	answer, err := t.prepareOne(t.ctx, claim)
	if err != nil {
		t.Failf("prepare %s: %v", when, err)
	}
	return answer
}

// Try prepares a claim and returns the driver's error message, or "" on success. A driver without
// an answer may have crashed and fails the check.
func (t *T) Try(claim *resourceapi.ResourceClaim, what string) (answer *Answer, why string) {
	answers, err := t.prepare(t.ctx, claim)
	why, problem := refusal(claim, answers, err)
	if problem != "" {
		t.Failf("prepare %s: %s", what, problem)
	}
	return answers[string(claim.UID)], why
}

// Unprepare unprepares a claim and fails the check on errors.
func (t *T) Unprepare(claim *resourceapi.ResourceClaim, when string) {
	if err := t.unprepareOne(t.ctx, claim); err != nil {
		t.Failf("unprepare %s: %v", when, err)
	}
}

// unknown is a configuration of a kind unknown to all drivers, without string values.
const unknown = `{"apiVersion":"dratest.invalid/v1","kind":"NoSuchKind","noSuchField":[1]}`

// Refused returns a configuration rejected by the driver. Without one the check is not applicable.
func (t *T) Refused() json.RawMessage {
	config := t.refusedConfig()
	if config == nil {
		t.NotApplicablef("needs a configuration the driver rejects, and it accepts one of an unknown kind: set --invalid-config")
	}
	return config
}

// refusedConfig returns a configuration known to be rejected by the driver, or else one of an
// unknown kind. It returns nil if the driver accepts both.
func (t *T) refusedConfig() json.RawMessage {
	if t.refused != nil {
		return t.refused
	}
	device := t.Devices(1)[0]
	for _, config := range append(slices.Clone(t.InvalidConfig), json.RawMessage(unknown)) {
		claim := t.One(device, Config{Requests: []string{"req"}, Parameters: config})
		_, why := t.Try(claim, fmt.Sprintf("a claim with configuration %s", config))
		t.Unprepare(claim, "of a claim with an unknown configuration")
		t.Delete(claim)
		if why != "" {
			t.refused = config
			return config
		}
	}
	return nil
}

// ids returns the sorted, unique CDI devices of an answer.
func ids(answers ...*Answer) []string {
	var all []string
	for _, a := range answers {
		for _, d := range a.GetDevices() {
			all = append(all, d.GetCdiDeviceIds()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

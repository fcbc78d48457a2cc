package sanity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// Answer is what the driver says about one claim that was prepared.
type Answer = drapb.NodePrepareResourceResponse

func refs(claims ...*resourceapi.ResourceClaim) []*drapb.Claim {
	asked := make([]*drapb.Claim, 0, len(claims))
	for _, c := range claims {
		asked = append(asked, &drapb.Claim{Namespace: c.Namespace, Name: c.Name, Uid: string(c.UID)})
	}
	return asked
}

// prepare asks for claims, as they are; the answers are by UID. It may be called by any
// goroutine.
func (t *T) prepare(ctx context.Context, claims ...*resourceapi.ResourceClaim) (map[string]*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.CallTimeout)
	defer cancel()
	response, err := t.plugin(t.version).NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: refs(claims...)})
	return response.GetClaims(), err
}

// unprepare answers the error of each claim by UID; like prepare.
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

// prepareOne is an error where a claim is not prepared for whatever reason.
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

// Prepare prepares a claim, which must succeed.
func (t *T) Prepare(claim *resourceapi.ResourceClaim, when string) *Answer {
	answer, err := t.prepareOne(t.ctx, claim)
	if err != nil {
		t.Failf("prepare %s: %v", when, err)
	}
	return answer
}

// Try prepares a claim that the driver may refuse; why is what it says against it, empty
// where it has prepared the claim. A driver that does not answer has refused nothing: it
// may have crashed.
func (t *T) Try(claim *resourceapi.ResourceClaim, what string) (answer *Answer, why string) {
	answers, err := t.prepare(t.ctx, claim)
	why, problem := refusal(claim, answers, err)
	if problem != "" {
		t.Failf("prepare %s: %s", what, problem)
	}
	return answers[string(claim.UID)], why
}

// Unprepare unprepares a claim, which must succeed.
func (t *T) Unprepare(claim *resourceapi.ResourceClaim, when string) {
	if err := t.unprepareOne(t.ctx, claim); err != nil {
		t.Failf("unprepare %s: %v", when, err)
	}
}

// unknown is a configuration of a kind that no driver knows, and in which no value is a
// string.
const unknown = `{"apiVersion":"dratest.invalid/v1","kind":"NoSuchKind","noSuchField":[1]}`

// Refused is a configuration with which the driver does not prepare a claim. A driver that
// has none makes the check not applicable.
func (t *T) Refused() json.RawMessage {
	config := t.refusedConfig()
	if config == nil {
		t.NotApplicablef("needs a configuration that the driver refuses, and it takes also one of an unknown kind: name one (--invalid-config)")
	}
	return config
}

// refusedConfig looks for one that the driver is known to refuse, or else one that no driver
// knows; nil if it takes that, too.
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

// ids are the CDI devices of an answer, each once, in order.
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

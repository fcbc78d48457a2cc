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

package nodeplan

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ApplyWrite reports the result of writing a checkpoint. Failed changes do not become true: new
// users of a claim do not have it and leave no trace.
func (s *State) ApplyWrite(step WriteCheckpoint, err error) {
	if err != nil {
		s.disk = fmt.Errorf("checkpoint ResourceClaim state: %w", err)
		return
	}
	s.disk = nil
	maps.Copy(s.claims, step.change.claims)
	for id, pods := range step.change.pods {
		c := s.claims[id]
		if !c.pods.IsSuperset(pods) {
			// Errors of earlier users do not block a new user.
			c.forgive()
		}
		c.pods = pods
	}
	for id := range step.change.removed {
		delete(s.claims, id)
	}
	for c, edition := range step.change.edition {
		c.saved = edition
	}
}

// ApplyCall applies the result of a call. If in doubt, the driver may have done all or part of it.
func (s *State) ApplyCall(call Call, answer Answer) {
	err := call.rejected(answer)
	missing := 0
	for _, ref := range call.Claims {
		if _, ok := answer.Claims[ref.UID]; !ok {
			missing++
		}
	}
	for _, ref := range call.Claims {
		c := s.claims[ref.ClaimID]
		if c == nil || c.uid != ref.UID || c.work[call.Driver] == nil {
			continue
		}
		w := c.work[call.Driver]
		w.busy = false
		result, ok := answer.Claims[ref.UID]
		switch {
		case err != nil && answer.NotFound && len(call.Claims) > 1:
			w.alone = true
		case err != nil && answer.NotFound:
			// The lookup belongs to the same attempt.
			w.lookUp, w.op, w.cause = true, call.Op, err
			w.answers++
		case err != nil:
			w.err = err
		case !ok:
			w.err = fmt.Errorf("%s skipped %d ResourceClaims", call.Op, missing)
		case result.Error != "":
			w.err = fmt.Errorf("%s failed for ResourceClaim %s: %s", call.Op, ref.Name, result.Error)
		case call.Op == Unprepare:
			w.progress, w.notFound = unprepared, notFound{}
		default:
			c.accept(w, result.Devices)
		}
	}
}

// rejected returns why an answer is unusable. A result for an unrequested claim is a sign of a
// driver mixing up its claims.
func (call Call) rejected(answer Answer) error {
	if answer.Err != nil {
		return fmt.Errorf("%s: %w", call.Op, answer.Err)
	}
	for _, uid := range slices.Sorted(maps.Keys(answer.Claims)) {
		if !slices.ContainsFunc(call.Claims, func(ref ClaimRef) bool { return ref.UID == uid }) {
			return fmt.Errorf("%s returned result for unknown claim UID %s", call.Op, uid)
		}
	}
	return nil
}

// accept stores the devices prepared by a driver. They replace those of an earlier answer.
func (c *claim) accept(w *work, devices []Device) {
	for _, device := range devices {
		for _, id := range device.CDIDeviceIDs {
			if err := checkCDI(id); err != nil {
				w.err = fmt.Errorf("%s returned invalid CDI device ID %q for ResourceClaim %s: %w", Prepare, id, c.id.Name, err)
				return
			}
		}
	}
	w.progress, w.notFound = prepared, notFound{}
	if len(devices) == 0 {
		devices = nil
	}
	if w.state.DevicesLost || !reflect.DeepEqual(w.state.Devices, devices) {
		w.state.Devices, w.state.DevicesLost = devices, false
		c.edition++
	}
}

// ApplyLookUp applies whether a claim unknown to a driver exists for this node. If so, the driver
// is called again after a backoff. If not, there is nothing to prepare or unprepare.
func (s *State) ApplyLookUp(step LookUp, found Found, now time.Time) {
	c := s.claims[step.Claim.ClaimID]
	if c == nil || c.uid != step.Claim.UID || c.work[step.Driver] == nil {
		return
	}
	w := c.work[step.Driver]
	w.busy = false
	switch {
	case c.closing && w.op == Prepare:
		// No longer relevant, see close.
		w.notFound = notFound{}
	case found.Err != nil:
		w.err = fmt.Errorf("%w; fetch ResourceClaim %s: %w", w.cause, c.id.Name, found.Err)
	case exists(found, c.uid):
		w.lookUp, w.verified = false, now
	case c.closing:
		w.progress, w.notFound = unprepared, notFound{}
	default:
		w.err = fmt.Errorf("%w; the ResourceClaim was deleted", w.cause)
	}
}

func exists(found Found, uid types.UID) bool {
	return found.Claim != nil && found.Claim.UID == uid
}

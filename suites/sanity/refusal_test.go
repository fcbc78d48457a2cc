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
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestRefusal(t *testing.T) {
	for name, row := range map[string]struct {
		answer       *Answer
		err          error
		why, problem string
	}{
		"prepared":          {answer: &Answer{}},
		"error of a claim":  {answer: &Answer{Error: "no such kind"}, why: "no such kind"},
		"error of the call": {err: status.Error(codes.Internal, "no such kind"), why: "no such kind"},
		"blank error":       {answer: &Answer{Error: " "}, problem: "without a message"},
		"no message":        {err: status.Error(codes.Internal, ""), problem: "without a message"},
		"crashed":           {err: status.Error(codes.Unavailable, "EOF"), problem: "the call was not answered"},
		"hangs":             {err: status.Error(codes.DeadlineExceeded, "late"), problem: "the call was not answered"},
		"given up":          {err: status.Error(codes.Canceled, "gone"), problem: "the call was not answered"},
		"no answer":         {problem: "there is no answer for claim u"},
	} {
		answers := map[string]*Answer{}
		if row.answer != nil {
			answers["u"] = row.answer
		}
		why, problem := refusal(claim("u"), answers, row.err)
		for what, pair := range map[string][2]string{"why": {why, row.why}, "problem": {problem, row.problem}} {
			var problems []string
			if pair[0] != "" {
				problems = append(problems, pair[0])
			}
			said(t, name+", "+what, problems, pair[1])
		}
	}
}

// A crash of the driver is not a rejection.
func TestCrashIsNoRefusal(t *testing.T) {
	crash := status.Error(codes.Unavailable, "error reading from server: EOF")
	good := func(c *resourceapi.ResourceClaim) bool {
		return c != nil && c.Status.Allocation != nil && len(c.Status.Allocation.Devices.Config) == 0
	}
	for _, c := range []Check{claimNotThere, configInvalid, configUnknownKind, failedPrepare, configForSubrequest} {
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			if good(claim) {
				return prepared(claim), nil
			}
			return nil, crash
		}}
		w := d.served(t, devices("a", "b")...)
		w.InvalidConfig = []json.RawMessage{json.RawMessage(`{"bad":1}`)}
		did(t, w, c, spec.Failed, "the call was not answered")
		if w.refused != nil {
			t.Errorf("%s: configuration %s is taken for a refused one", c.ID, w.refused)
		}
		d = &testDriver{prepare: func(uid string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			if good(claim) && string(claim.UID) == uid {
				return prepared(claim), nil
			}
			return &Answer{Error: "refused"}, nil
		}}
		w = d.served(t, devices("a", "b")...)
		w.InvalidConfig = []json.RawMessage{json.RawMessage(`{"bad":1}`)}
		did(t, w, c, spec.Passed, "")
	}
	seen := false
	d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
		if seen {
			return nil, crash
		}
		seen = true
		return prepared(claim), nil
	}}
	did(t, d.served(t, devices("a")...), deviceStillPrepared, spec.Failed, "the call was not answered")
}

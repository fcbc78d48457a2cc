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
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestNotFoundIsSaid(t *testing.T) {
	for name, row := range map[string]struct {
		err     error
		want    spec.Status
		message string
	}{
		"by its code":   {status.Error(codes.NotFound, "no claim"), spec.Passed, ""},
		"in words":      {status.Error(codes.Unknown, `retrieve claim ns/c: resourceclaims "c" not found`), spec.Passed, "KEP-4381 requires NotFound"},
		"of a file":     {status.Error(codes.Unknown, "nvidia-smi: not found"), spec.Failed, "the message does not say the claim was not found: nvidia-smi"},
		"as if allowed": {nil, spec.Failed, "prepare succeeds for a claim that does not exist"},
		"otherwise":     {status.Error(codes.Internal, "broken"), spec.Failed, "the message does not say the claim was not found: broken"},
	} {
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			if claim == nil {
				return &Answer{}, row.err
			}
			return prepared(claim), nil
		}}
		t.Log(name)
		did(t, d.served(t, devices("a")...), notFound, row.want, row.message)
	}
}

func TestDeviceNotThere(t *testing.T) {
	for _, looks := range []bool{true, false} {
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			for _, r := range claim.Status.Allocation.Devices.Results {
				if looks && r.Device != "a" {
					return &Answer{Error: "no such device"}, nil
				}
			}
			return prepared(claim), nil
		}}
		want, message := spec.Passed, ""
		if !looks {
			want, message = spec.Failed, "which the driver does not publish"
		}
		did(t, d.served(t, devices("a")...), deviceNotThere, want, message)
	}
}

// The check detects overlapping calls of a driver without locking.
func TestOverlappingCallsAreNoticed(t *testing.T) {
	for _, serialized := range []bool{true, false} {
		var running atomic.Int32
		turn := make(chan struct{}, 1)
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			if serialized {
				turn <- struct{}{}
				defer func() { <-turn }()
			}
			defer running.Add(-1)
			if running.Add(1) > 1 {
				return &Answer{Error: "the state is being changed"}, nil
			}
			for range 1000 { // long enough for the others to arrive
				_ = claim.DeepCopy()
			}
			return prepared(claim), nil
		}}
		want, message := spec.Passed, ""
		if !serialized {
			want, message = spec.Failed, "the state is being changed"
		}
		did(t, d.served(t, devices("a", "b")...), parallelCalls, want, message)
	}
}

func TestSharedDirectory(t *testing.T) {
	own := nodefiles.Socket{Path: "/registry/d-reg.sock", Driver: "d", Endpoint: "/plugins/d/dra.sock"}
	for name, row := range map[string]struct {
		other   nodefiles.Socket
		message string
	}{
		"own":          {nodefiles.Socket{Path: "/registry/x.sock", Driver: "x", Endpoint: "/plugins/x/dra.sock"}, ""},
		"two of its":   {nodefiles.Socket{Path: "/registry/d-2.sock", Driver: "d", Endpoint: "/plugins/d/dra-2.sock"}, ""},
		"a proxy":      {nodefiles.Socket{Path: "/registry/dratest-proxy-d.sock", Driver: "d", Endpoint: "/plugins/dratest-proxy-d/dra.sock"}, ""},
		"shared":       {nodefiles.Socket{Path: "/registry/x.sock", Driver: "x", Endpoint: "/plugins/d/x.sock"}, "/plugins/d/x.sock of driver x is in it"},
		"the registry": {nodefiles.Socket{Path: "/plugins/d/x-reg.sock"}, "/plugins/d/x-reg.sock, used for registration, is in it"},
	} {
		said(t, name, shared([]nodefiles.Socket{own, row.other}, "d"), row.message)
	}
}

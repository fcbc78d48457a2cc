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

package script

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type driver struct {
	drapb.UnimplementedDRAPluginServer

	seen []string
}

func (d *driver) NodePrepareResources(_ context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for _, claim := range r.Claims {
		d.seen = append(d.seen, claim.Uid)
		response.Claims[claim.Uid] = &drapb.NodePrepareResourceResponse{Devices: []*drapb.Device{{CdiDeviceIds: []string{"x/y=" + claim.Uid}}}}
	}
	return response, nil
}

func (d *driver) NodeUnprepareResources(_ context.Context, r *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for _, claim := range r.Claims {
		d.seen = append(d.seen, claim.Uid)
		response.Claims[claim.Uid] = &drapb.NodeUnprepareResourceResponse{}
	}
	return response, nil
}

// serve runs a scripted driver and returns a client for one API version.
func serve(t *testing.T, script *Script, d *driver, version spec.GRPCVersion) drapb.DRAPluginClient {
	t.Helper()
	server := grpc.NewServer(grpc.ChainUnaryInterceptor(script.Intercept))
	drapb.RegisterDRAPluginServer(server, d)
	drapbv1beta1.RegisterDRAPluginServer(server, drapbv1beta1.V1ServerWrapper{DRAPluginServer: d})
	listener := bufconn.Listen(1 << 16)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	if version == spec.GRPCv1beta1 {
		return drapbv1beta1.V1Beta1ClientWrapper{DRAPluginClient: drapbv1beta1.NewDRAPluginClient(conn)}
	}
	return drapb.NewDRAPluginClient(conn)
}

// said is one claim's answer in comparable form.
type said struct {
	Error string
	CDI   []string
}

func ask(ctx context.Context, client drapb.DRAPluginClient, method spec.Method) (map[string]said, error) {
	claims := []*drapb.Claim{{Namespace: "ns", Name: "one", Uid: "1"}, {Namespace: "ns", Name: "two", Uid: "2"}}
	got := map[string]said{}
	if method == spec.Prepare {
		response, err := client.NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: claims})
		for uid, claim := range response.GetClaims() {
			s := said{Error: claim.Error}
			for _, device := range claim.Devices {
				s.CDI = append(s.CDI, device.CdiDeviceIds...)
			}
			got[uid] = s
		}
		return got, err
	}
	response, err := client.NodeUnprepareResources(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: claims})
	for uid, claim := range response.GetClaims() {
		got[uid] = said{Error: claim.Error}
	}
	return got, err
}

func TestFaults(t *testing.T) {
	right := map[string]said{"1": {CDI: []string{"x/y=1"}}, "2": {CDI: []string{"x/y=2"}}}
	done := map[string]said{"1": {}, "2": {}}
	tests := []struct {
		name  string
		fault spec.Fault
		want  map[string]said
		code  codes.Code
		seen  []string
	}{
		{name: "claim error", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Claim: "one", Message: "no"},
			want: map[string]said{"1": {Error: "no"}, "2": right["2"]}, seen: []string{"2"}},
		{name: "claim error for all", fault: spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Message: "no"},
			want: map[string]said{"1": {Error: "no"}, "2": {Error: "no"}}},
		{name: "call error", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultCallError, Code: "Unavailable"},
			want: map[string]said{}, code: codes.Unavailable},
		{name: "call error of unprepare", fault: spec.Fault{Method: spec.Unprepare, Kind: spec.FaultCallError},
			want: map[string]said{}, code: codes.Internal},
		{name: "slow", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultSlow, Delay: time.Millisecond},
			want: right, seen: []string{"1", "2"}},
		{name: "no answer", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultNoAnswer, Claim: "two"},
			want: map[string]said{"1": right["1"]}, seen: []string{"1", "2"}},
		{name: "wrong claim", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultWrongClaim, Claim: "two"},
			want: map[string]said{"1": right["1"], "not-2": right["2"]}, seen: []string{"1", "2"}},
		{name: "wrong claim of unprepare", fault: spec.Fault{Method: spec.Unprepare, Kind: spec.FaultWrongClaim, Claim: "one"},
			want: map[string]said{"not-1": {}, "2": {}}, seen: []string{"1", "2"}},
		{name: "wrong device", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultWrongDevice, Claim: "one"},
			want: map[string]said{"1": {CDI: []string{"x/y=1-does-not-exist"}}, "2": right["2"]}, seen: []string{"1", "2"}},
		{name: "nothing done", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultNothingDone},
			want: map[string]said{"1": {}, "2": {}}},
		{name: "nothing undone", fault: spec.Fault{Method: spec.Unprepare, Kind: spec.FaultNothingDone, Claim: "one"},
			want: done, seen: []string{"2"}},
		{name: "other claim", fault: spec.Fault{Method: spec.Prepare, Kind: spec.FaultCallError, Claim: "three"},
			want: right, seen: []string{"1", "2"}},
	}
	for _, test := range tests {
		for _, version := range []spec.GRPCVersion{spec.GRPCv1, spec.GRPCv1beta1} {
			t.Run(test.name+" "+string(version), func(t *testing.T) {
				script, d := &Script{}, &driver{}
				if err := script.SetFaults([]spec.Fault{test.fault}); err != nil {
					t.Fatal(err)
				}
				got, err := ask(t.Context(), serve(t, script, d, version), test.fault.Method)
				if status.Code(err) != test.code {
					t.Fatalf("code %v, want %v: %v", status.Code(err), test.code, err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("answers (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.seen, d.seen); diff != "" {
					t.Errorf("claims that reached the driver (-want +got):\n%s", diff)
				}
				if calls := script.Calls(); len(calls) != 1 || calls[0].GRPC != version {
					t.Errorf("recorded %+v", calls)
				}
			})
		}
	}
}

func TestFaultsFollowOneAnother(t *testing.T) {
	script := &Script{}
	client := serve(t, script, &driver{}, spec.GRPCv1)
	err := script.SetFaults([]spec.Fault{
		{Method: spec.Prepare, Kind: spec.FaultClaimError, Claim: "one", Times: 2, Message: "first"},
		{Method: spec.Prepare, Kind: spec.FaultCallError, Times: 1, Message: "second"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		_, _ = ask(t.Context(), client, spec.Prepare)
	}
	var got []spec.FaultKind
	for _, call := range script.Calls() {
		got = append(got, call.Fault)
	}
	want := []spec.FaultKind{spec.FaultClaimError, spec.FaultClaimError, spec.FaultCallError, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// A driver with a mutant keeps it beneath a case's faults.
func TestMutantHitsWhatNoFaultHits(t *testing.T) {
	script := &Script{Mutant: spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError}}
	client := serve(t, script, &driver{}, spec.GRPCv1)
	if err := script.SetFaults([]spec.Fault{{Method: spec.Prepare, Kind: spec.FaultCallError, Times: 1}}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = ask(t.Context(), client, spec.Prepare)
	}
	_, _ = ask(t.Context(), client, spec.Unprepare)
	var got []spec.FaultKind
	for _, call := range script.Calls() {
		got = append(got, call.Fault)
	}
	if diff := cmp.Diff([]spec.FaultKind{spec.FaultCallError, spec.FaultClaimError, spec.FaultClaimError, ""}, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestHangEndsWithTheCall(t *testing.T) {
	script := &Script{}
	client := serve(t, script, &driver{}, spec.GRPCv1)
	if err := script.SetFaults([]spec.Fault{{Method: spec.Prepare, Kind: spec.FaultHang}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ask(ctx, client, spec.Prepare); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("got %v, want a missed deadline", err)
	}
}

func TestHangEndsWhenFaultsAreReplaced(t *testing.T) {
	script := &Script{}
	client := serve(t, script, &driver{}, spec.GRPCv1)
	if err := script.SetFaults([]spec.Fault{{Method: spec.Prepare, Kind: spec.FaultHang}}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := ask(t.Context(), client, spec.Prepare)
		answered <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for calls := script.Calls(); len(calls) == 0 || !calls[0].InProgress; calls = script.Calls() {
		<-tick.C
	}
	if err := script.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("call failed: %v", err)
	}
	if call := script.Calls()[0]; call.InProgress || call.Fault != spec.FaultHang {
		t.Errorf("recorded %+v", call)
	}
}

func TestRecord(t *testing.T) {
	script := &Script{}
	client := serve(t, script, &driver{}, spec.GRPCv1beta1)
	fault := spec.Fault{Method: spec.Prepare, Kind: spec.FaultNoAnswer, Claim: "two"}
	if err := script.SetFaults([]spec.Fault{fault}); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), client, spec.Prepare); err != nil {
		t.Fatal(err)
	}
	want := []spec.Call{{Method: spec.Prepare, GRPC: spec.GRPCv1beta1, Fault: spec.FaultNoAnswer, Claims: []spec.ClaimCall{
		{Namespace: "ns", Name: "one", UID: "1", CDIDevices: []string{"x/y=1"}},
		{Namespace: "ns", Name: "two", UID: "2", Error: "no answer"},
	}}}
	if diff := cmp.Diff(want, script.Calls(), cmpopts.IgnoreFields(spec.Call{}, "Start", "Took")); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestRecordIsBounded(t *testing.T) {
	script := &Script{}
	c := &call{method: spec.Prepare}
	for range maxCalls + 1 {
		record, _, _ := script.begin(c)
		script.end(record, nil, errors.New("no"))
	}
	if n := len(script.Calls()); n != maxCalls {
		t.Errorf("%d calls kept, want %d", n, maxCalls)
	}
}

func TestFaultsThatAreNotValid(t *testing.T) {
	script := &Script{}
	for _, fault := range []spec.Fault{
		{Method: "Other", Kind: spec.FaultHang},
		{Method: spec.Prepare, Kind: "Other"},
		{Method: spec.Unprepare, Kind: spec.FaultWrongDevice},
		{Method: spec.Unprepare, Kind: spec.FaultOtherDevice},
		{Method: spec.Prepare, Kind: spec.FaultSlow},
		{Method: spec.Prepare, Kind: spec.FaultHang, Delay: 1},
		{Method: spec.Prepare, Kind: spec.FaultHang, Times: -1},
		{Method: spec.Prepare, Kind: spec.FaultCallError, Code: "UNAVAILABLE"},
	} {
		if err := script.SetFaults([]spec.Fault{fault}); err == nil {
			t.Errorf("%+v was accepted", fault)
		}
	}
}

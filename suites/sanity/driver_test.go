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
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// testDriver is driver "d" on a node with the CDI files specs. The function prepares a claim, given
// the API server's copy or nil.
type testDriver struct {
	drapb.UnimplementedDRAPluginServer

	prepare func(uid string, claim *resourceapi.ResourceClaim) (*Answer, error)
	specs   map[string][]byte

	client   *fake.Clientset
	listener *bufconn.Listener
}

func (d *testDriver) NodePrepareResources(ctx context.Context, request *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*Answer{}}
	for _, c := range request.GetClaims() {
		claim, err := d.client.ResourceV1().ResourceClaims(c.GetNamespace()).Get(ctx, c.GetName(), metav1.GetOptions{})
		if err != nil {
			claim = nil
		}
		answer, err := d.prepare(c.GetUid(), claim)
		if err != nil {
			return nil, err
		}
		if answer != nil {
			response.Claims[c.GetUid()] = answer
		}
	}
	return response, nil
}

func (*testDriver) NodeUnprepareResources(_ context.Context, request *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for _, c := range request.GetClaims() {
		response.Claims[c.GetUid()] = &drapb.NodeUnprepareResourceResponse{}
	}
	return response, nil
}

func (d *testDriver) Dial(ctx context.Context) (net.Conn, error)       { return d.listener.DialContext(ctx) }
func (d *testDriver) Specs(context.Context) (map[string][]byte, error) { return d.specs, nil }
func (*testDriver) RemoveSpec(context.Context, string) error           { return nil }
func (*testDriver) ObstructSpec(context.Context, string) error         { return nil }

// served returns a world with these devices published, if any.
func (d *testDriver) served(t *testing.T, devices ...resourceapi.Device) *world {
	t.Helper()
	d.client = fake.NewClientset()
	if len(devices) > 0 {
		d.publish(t, devices...)
	}
	made := 0
	// Generates names as the API server does.
	d.client.PrependReactor("create", "resourceclaims", func(action kubetesting.Action) (bool, runtime.Object, error) {
		claim := action.(kubetesting.CreateAction).GetObject().(*resourceapi.ResourceClaim)
		if claim.GenerateName == "" {
			return false, nil, nil
		}
		made++
		claim.Name, claim.UID = fmt.Sprintf("sanity-%d", made), types.UID(fmt.Sprintf("uid-%d", made))
		return false, nil, nil
	})
	d.listener = bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.WaitForHandlers(true))
	drapb.RegisterDRAPluginServer(server, d)
	go func() { _ = server.Serve(d.listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return d.Dial(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	o := Options{Driver: "d", Node: "n", Client: d.client, CallTimeout: 2 * time.Second, PublishTimeout: time.Second}
	return &world{
		Options: o.withDefaults(), NodeAccess: d, conn: conn, versions: []spec.GRPCVersion{spec.GRPCv1}, namespace: "ns",
		pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: consumer}}, withheld: map[pools.ID]string{},
	}
}

func (d *testDriver) publish(t *testing.T, devices ...resourceapi.Device) {
	t.Helper()
	s := published("p", 1, 1, devices...)
	s.Name, s.Spec.NodeName = "slice", ptr.To("n")
	if _, err := d.client.ResourceV1().ResourceSlices().Create(t.Context(), &s, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

// did fails unless a check ends with this verdict and message.
func did(t *testing.T, w *world, c Check, want spec.Status, text string) {
	t.Helper()
	o := w.outcome(t.Context(), c)
	if o.Status != want || !strings.Contains(o.Failure+o.Reason, text) {
		t.Errorf("%s: %s %q, want %s %q", c.ID, o.Status, o.Failure+o.Reason, want, text)
	}
}

func devices(names ...string) []resourceapi.Device {
	var all []resourceapi.Device
	for _, name := range names {
		all = append(all, resourceapi.Device{Name: name})
	}
	return all
}

// prepared returns an answer with the claim's devices for their requests.
func prepared(claim *resourceapi.ResourceClaim) *Answer {
	a := &Answer{}
	for _, r := range claim.Status.Allocation.Devices.Results {
		a.Devices = append(a.Devices, &drapb.Device{PoolName: r.Pool, DeviceName: r.Device, RequestNames: []string{r.Request}})
	}
	return a
}

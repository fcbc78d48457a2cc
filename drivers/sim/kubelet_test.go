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

package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	node   = "node-1"
	driver = "sim.example.com"
)

// kubelet is a test's plugin manager: it registers sockets appearing in the registry directory.
type kubelet struct {
	registry string

	mutex    sync.Mutex
	sockets  map[string]os.FileInfo
	infos    []*registerapi.PluginInfo // in order of registration
	watching sync.WaitGroup
}

func startKubelet(t *testing.T, root string) *kubelet {
	t.Helper()
	k := &kubelet{registry: filepath.Join(root, "plugins_registry"), sockets: map[string]os.FileInfo{}}
	for _, dir := range []string{k.registry, filepath.Join(root, "plugins")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	k.watching.Go(func() {
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				k.look(ctx)
			}
		}
	})
	t.Cleanup(func() { cancel(); k.watching.Wait() })
	return k
}

func (k *kubelet) look(ctx context.Context) {
	entries, err := os.ReadDir(k.registry)
	if err != nil {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	seen := map[string]os.FileInfo{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		if old := k.sockets[entry.Name()]; old == nil || !old.ModTime().Equal(info.ModTime()) {
			plugin := k.register(ctx, filepath.Join(k.registry, entry.Name()))
			if plugin == nil {
				continue
			}
			k.infos = append(k.infos, plugin)
		}
		seen[entry.Name()] = info
	}
	k.sockets = seen
}

func (k *kubelet) register(ctx context.Context, socket string) *registerapi.PluginInfo {
	conn, err := dialSocket(socket)
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }()
	client := registerapi.NewRegistrationClient(conn)
	info, err := client.GetInfo(ctx, &registerapi.InfoRequest{})
	if err != nil {
		return nil
	}
	if _, err := client.NotifyRegistrationStatus(ctx, &registerapi.RegistrationStatus{PluginRegistered: true}); err != nil {
		return nil
	}
	return info
}

func (k *kubelet) restart() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.sockets = map[string]os.FileInfo{}
}

func (k *kubelet) registrations() int {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return len(k.infos)
}

// registered waits for n registrations. A driver's status is registered slightly earlier, with its last response
// still pending: restarting it at that moment closes the connection, and its first registration does not count.
func (k *kubelet) registered(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("plugins are registered %d times", n), func() bool { return k.registrations() == n })
}

func (k *kubelet) call(t *testing.T, do func(drapb.DRAPluginClient) error) {
	t.Helper()
	k.mutex.Lock()
	plugins := slices.Clone(k.infos)
	k.mutex.Unlock()
	if len(plugins) == 0 {
		t.Fatal("no plugin is registered")
	}
	conn, err := dialSocket(plugins[len(plugins)-1].Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := do(drapb.NewDRAPluginClient(conn)); err != nil {
		t.Fatal(err)
	}
}

func (k *kubelet) prepare(t *testing.T, claim *resourceapi.ResourceClaim) *drapb.NodePrepareResourceResponse {
	t.Helper()
	var answer *drapb.NodePrepareResourceResponse
	k.call(t, func(client drapb.DRAPluginClient) error {
		response, err := client.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
		answer = response.GetClaims()[string(claim.UID)]
		return err
	})
	return answer
}

func (k *kubelet) unprepare(t *testing.T, claim *resourceapi.ResourceClaim) {
	t.Helper()
	k.call(t, func(client drapb.DRAPluginClient) error {
		_, err := client.NodeUnprepareResources(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
		return err
	})
}

func reference(claim *resourceapi.ResourceClaim) *drapb.Claim {
	return &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: string(claim.UID)}
}

func dialSocket(path string) (*grpc.ClientConn, error) {
	return grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// allocated is a claim with one device.
func allocated(name, device string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: node, Device: device}},
		}}},
	}
}

// newAgent returns an agent in directories of its own and its API server.
func newAgent(t *testing.T, root string, objects ...runtime.Object) (*Agent, *fake.Clientset) {
	t.Helper()
	client := newClient(objects...)
	agent, err := New(t.Context(), Config{
		NodeName: node, NodeUID: "node-uid", Client: client,
		KubeletRoot: root, CDIDir: filepath.Join(root, "cdi"), HostRoot: root,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Close(context.Background()) })
	return agent, client
}

// newClient adds three features missing in the fake: generated names, field selectors of deletions, and conflicts on
// updates of an outdated claim. Without the last one, an answer written twice from the same copy counted twice.
func newClient(objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	created := 0
	client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		creation, _ := action.(clienttesting.CreateAction)
		if slice, ok := creation.GetObject().(*resourceapi.ResourceSlice); ok {
			created++
			slice.Name = fmt.Sprintf("%s%03d", slice.GenerateName, created)
		}
		return false, nil, nil
	})
	client.PrependReactor("delete-collection", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		deletion, _ := action.(clienttesting.DeleteCollectionAction)
		return true, nil, deleteSlices(client, deletion.GetListRestrictions().Fields)
	})
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		update, _ := action.(clienttesting.UpdateAction)
		claim, ok := update.GetObject().(*resourceapi.ResourceClaim)
		if !ok {
			return false, nil, nil
		}
		err := nextVersion(client, claim)
		return err != nil, nil, err
	})
	return client
}

// nextVersion sets a written claim's next resource version, or returns a conflict if it was not read from the stored
// version.
func nextVersion(client *fake.Clientset, claim *resourceapi.ResourceClaim) error {
	resource := resourceapi.SchemeGroupVersion.WithResource("resourceclaims")
	stored, err := client.Tracker().Get(resource, claim.Namespace, claim.Name)
	if err != nil {
		return err
	}
	current, ok := stored.(*resourceapi.ResourceClaim)
	if !ok || current.ResourceVersion != claim.ResourceVersion {
		return apierrors.NewConflict(resource.GroupResource(), claim.Name, errors.New("it has changed"))
	}
	version, _ := strconv.Atoi(current.ResourceVersion) // the first has none
	claim.ResourceVersion = strconv.Itoa(version + 1)
	return nil
}

func deleteSlices(client *fake.Clientset, selector fields.Selector) error {
	resource := resourceapi.SchemeGroupVersion.WithResource("resourceslices")
	list, err := client.Tracker().List(resource, resourceapi.SchemeGroupVersion.WithKind("ResourceSlice"), "")
	if err != nil {
		return err
	}
	slices, _ := list.(*resourceapi.ResourceSliceList)
	for _, slice := range slices.Items {
		if selector.Matches(fields.Set{"spec.driver": slice.Spec.Driver, "spec.nodeName": *slice.Spec.NodeName}) {
			if err := client.Tracker().Delete(resource, "", slice.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func published(t *testing.T, client *fake.Clientset) []string {
	t.Helper()
	list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list.Items, func(a, b resourceapi.ResourceSlice) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
	names := []string{}
	for _, slice := range list.Items {
		for _, device := range slice.Spec.Devices {
			names = append(names, device.Name)
		}
	}
	return names
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(5 * time.Second)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatalf("still not so after 5 s: %s", what)
		}
	}
}

func statusOf(t *testing.T, agent *Agent) spec.DriverStatus {
	t.Helper()
	status, err := agent.Status(driver)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func allocatedIn(t *testing.T, client *fake.Clientset, name, device string) *resourceapi.ResourceClaim {
	t.Helper()
	claim, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), allocated(name, device), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

func sliceName(t *testing.T, client *fake.Clientset) string {
	t.Helper()
	list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("no slice: %v", err)
	}
	return list.Items[0].Name
}

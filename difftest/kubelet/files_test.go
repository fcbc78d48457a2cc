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

// Package kubelet_test compares the files and pod status of the own DRA manager with the kubelet's
// code.
package kubelet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"

	"github.com/dra-conformance/dratest/implementation/kubelet"
	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// golden is also read by the tests of nodeplan.
const golden = "../../implementation/nodeplan/testdata/kubelet-1.37.json"

func convert[To any](t *testing.T, from any) To {
	t.Helper()
	data, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	var to To
	if err := json.Unmarshal(data, &to); err != nil {
		t.Fatal(err)
	}
	return to
}

// store writes a checkpoint with the kubelet's code and returns the file.
func store(t *testing.T, dir string, claims state.ClaimInfoStateList) []byte {
	t.Helper()
	checkpointer, err := state.NewCheckpointer(dir, nodeplan.CheckpointFile)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := state.NewCheckpoint(claims)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkpointer.Store(checkpoint); err != nil {
		t.Fatal(err)
	}
	return read(t, filepath.Join(dir, nodeplan.CheckpointFile))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The golden file equals the output of the kubelet's code.
func TestGoldenFile(t *testing.T) {
	want := read(t, golden)
	claims, err := nodeplan.Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := store(t, t.TempDir(), convert[state.ClaimInfoStateList](t, claims)); !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("the kubelet writes\n%s\nand not\n%s", got, want)
	}
}

// The kubelet's code reads our files.
func TestKubeletReadsOurs(t *testing.T) {
	claims, err := nodeplan.Decode(read(t, golden))
	if err != nil {
		t.Fatal(err)
	}
	for name, claims := range map[string][]nodeplan.ClaimInfo{"empty": {}, "nothing": nil, "golden": claims} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, err := nodeplan.Encode(claims)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, nodeplan.CheckpointFile), file, 0o600); err != nil {
				t.Fatal(err)
			}
			checkpointer, err := state.NewCheckpointer(dir, nodeplan.CheckpointFile)
			if err != nil {
				t.Fatal(err)
			}
			checkpoint, err := checkpointer.GetOrCreate()
			if err != nil {
				t.Fatal(err)
			}
			got, err := checkpoint.GetClaimInfoStateList()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(convert[state.ClaimInfoStateList](t, claims), got); diff != "" {
				t.Errorf("the kubelet reads something else:\n%s", diff)
			}
		})
	}
}

// takeOver starts the own manager with files written by the kubelet's code: a pod's claim with an
// unhealthy device.
func takeOver(t *testing.T, claim string) *kubelet.Manager {
	t.Helper()
	dir := t.TempDir()
	info := state.ClaimInfoState{ClaimUID: "uid", ClaimName: claim, Namespace: "ns", DriverState: map[string]state.DriverState{"a": {
		Devices: []state.Device{{PoolName: "pool", DeviceName: "dev", RequestNames: []string{"req"}, CDIDeviceIDs: []string{"a/class=dev"}}}}}}
	store(t, dir, state.ClaimInfoStateList{info})
	health, err := json.Marshal(state.DevicesHealthMap{"a": {Devices: map[string]state.DeviceHealth{"pool/dev": {PoolName: "pool", DeviceName: "dev",
		Health: state.DeviceHealthStatusUnhealthy, LastUpdated: time.Now(), HealthCheckTimeout: time.Hour, Message: "hot"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dra_health_state"), health, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := `{"cdiVersion": "0.6.0", "kind": "a/class", "devices": [{"name": "dev", "containerEdits": {"env": ["A=B"]}}]}`
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := kubelet.New(context.Background(), kubelet.Config{StateDir: dir, CDIDirs: []string{dir},
		Gates: kubelet.Gates{DRAExtendedResource: true, ResourceHealthStatus: true, ResourceHealthStatusMessage: true}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestManagerTakesOver(t *testing.T) {
	m := takeOver(t, "c")
	p, name := &corev1.Pod{}, "c"
	p.Namespace = "ns"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "entry", ResourceClaimName: &name}}
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry", Request: "req"}}}}}
	ids, err := m.ContainerCDIDevices(context.Background(), p, &p.Spec.Containers[0])
	if err != nil || len(ids) != 1 || ids[0] != "a/class=dev" {
		t.Errorf("devices are %v, %v", ids, err)
	}
	status := &corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main"}}}
	m.UpdateStatus(context.Background(), p, status)
	message := "hot"
	want := []corev1.ResourceStatus{{Name: "claim:entry/req", Resources: []corev1.ResourceHealth{{ResourceID: "a/class=dev", Health: "Unhealthy", Message: &message}}}}
	if diff := cmp.Diff(want, status.ContainerStatuses[0].AllocatedResourcesStatus); diff != "" {
		t.Errorf("wrong status:\n%s", diff)
	}
}

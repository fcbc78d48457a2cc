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

package nodeplan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// kubeletFile was written by the kubelet of Kubernetes 1.37.
const kubeletFile = "testdata/kubelet-1.37.json"

func readFile(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile(kubeletFile)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFileOfTheKubeletIsRead(t *testing.T) {
	got, err := nodeplan.Decode(readFile(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []nodeplan.ClaimInfo{
		{ClaimUID: "claim-uid-1", ClaimName: "train-gpu-x7k2p", Namespace: "team-a", PodUIDs: sets.New("pod-uid-1", "pod-uid-2"),
			DriverState: map[string]nodeplan.DriverState{
				"gpu.example.com": {Devices: []nodeplan.Device{
					{PoolName: "worker-1", DeviceName: "gpu-0", RequestNames: []string{"gpus"}, CDIDeviceIDs: []string{"example.com/gpu=0", "example.com/claim=claim-uid-1"}},
					{PoolName: "worker-1", DeviceName: "gpu-1", ShareID: ptr.To(types.UID("5b9a0d0e-0000-4000-8000-00000000000a"))},
				}},
				"nic.example.com": {SkipNodeOperations: []resourceapi.SkipNodeOperation{"NodePrepareResources"}},
			}},
		{ClaimUID: "claim-uid-2", ClaimName: "shared", Namespace: "team-b", PodUIDs: sets.New("pod-uid-3"),
			DriverState: map[string]nodeplan.DriverState{"gpu.example.com": {}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong claims:\n%s", diff)
	}
}

// The kubelet must be able to read our file: it is identical byte for byte.
func TestFileIsLikeTheKubelets(t *testing.T) {
	claims, err := nodeplan.Decode(readFile(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := nodeplan.Encode(claims)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(readFile(t)), string(got)); diff != "" {
		t.Errorf("wrong file:\n%s", diff)
	}
	// A restart changes nothing.
	state := nodeplan.New(nodeplan.Config{}, claims)
	plan := state.Next(nodeplan.Desired{Stop: []types.UID{"pod-uid-1"}}, nil, testTime)
	claims[0].PodUIDs = sets.New("pod-uid-2")
	if diff := cmp.Diff(claims, plan.Steps[0].(nodeplan.WriteCheckpoint).Claims); diff != "" {
		t.Errorf("wrong claims:\n%s", diff)
	}
}

// sealed returns a file with this content and a valid checksum.
func sealed(t *testing.T, data string) []byte {
	t.Helper()
	file, err := json.Marshal(map[string]any{"Data": data, "Checksum": crc32.ChecksumIEEE([]byte(data))})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func document(kind, version, claims string) string {
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"ClaimInfoStateList":%s}`, kind, version, claims)
}

func TestBadFiles(t *testing.T) {
	const v1 = "checkpoint.dra.kubelet.k8s.io/v1"
	changed := readFile(t)
	changed[100] ^= 1
	for name, tc := range map[string]struct {
		file []byte
		want error
	}{
		"empty":          {nil, nodeplan.ErrCorrupt},
		"truncated":      {readFile(t)[:200], nodeplan.ErrCorrupt},
		"wrong checksum": {changed, nodeplan.ErrCorrupt},
		"no JSON inside": {sealed(t, "{"), nodeplan.ErrCorrupt},
		"wrong types":    {sealed(t, document("DRACheckpoint", v1, `"all"`)), nodeplan.ErrCorrupt},
		"wrong kind":     {sealed(t, document("Pod", v1, "[]")), nodeplan.ErrCorrupt},
		"wrong group":    {sealed(t, document("DRACheckpoint", "v1", "[]")), nodeplan.ErrCorrupt},
		"newer version":  {sealed(t, document("DRACheckpoint", "checkpoint.dra.kubelet.k8s.io/v2", `{"new":1}`)), nodeplan.ErrOtherVersion},
		"a claim twice":  {sealed(t, document("DRACheckpoint", v1, `[{"ClaimName":"c"},{"ClaimName":"c"}]`)), nodeplan.ErrCorrupt},
		"no claims":      {sealed(t, document("DRACheckpoint", v1, "null")), nil},
		"unknown field":  {sealed(t, document("DRACheckpoint", v1, `[{"ClaimName":"c","Later":1}]`)), nil},
		"one of each name": {sealed(t, document("DRACheckpoint", v1,
			`[{"ClaimName":"c","Namespace":"a"},{"ClaimName":"c","Namespace":"b"}]`)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := nodeplan.Decode(tc.file); !errors.Is(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
		})
	}
}

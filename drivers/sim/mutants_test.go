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
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

func publishMutated(t *testing.T, client *fake.Clientset, mutant spec.MutantID, all ...spec.Profile) []resourceapi.ResourceSlice {
	t.Helper()
	p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver, mutant: mutant}
	for _, profile := range all {
		if err := p.set(t.Context(), profile); err != nil {
			t.Fatal(err)
		}
	}
	list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func TestMutantsOfPublishing(t *testing.T) {
	for _, s := range publishMutated(t, newClient(), spec.MutantNoOwner, profiles.OneDevice()) {
		if len(s.OwnerReferences) > 0 {
			t.Errorf("mutant %s: %v", spec.MutantNoOwner, s.OwnerReferences)
		}
	}
	mapped := profiles.OneDevice()
	mapped.Pools[0].Devices[0].NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{corev1.ResourceMemory: {}}
	for _, s := range publishMutated(t, newClient(), spec.MutantNoMapping, mapped) {
		if s.Spec.Devices[0].NodeAllocatableResources != nil {
			t.Errorf("mutant %s: %v", spec.MutantNoMapping, s.Spec.Devices[0].NodeAllocatableResources)
		}
	}
	if mapped.Pools[0].Devices[0].NodeAllocatableResources == nil {
		t.Errorf("mutant %s changes the inventory itself", spec.MutantNoMapping)
	}
	before, after := profiles.Devices(130), profiles.Devices(130)
	for i := range after.Pools[0].Devices {
		after.Pools[0].Devices[i].Attributes["changed"] = resourceapi.DeviceAttribute{StringValue: new(string)}
	}
	for _, s := range publishMutated(t, newClient(), spec.MutantInPlace, before, after) {
		if _, changed := s.Spec.Devices[0].Attributes["changed"]; s.Spec.Pool.Generation != 1 || !changed {
			t.Errorf("mutant %s: generation %d, changed: %t", spec.MutantInPlace, s.Spec.Pool.Generation, changed)
		}
	}
	tainted := profiles.OneDevice()
	tainted.Pools[0].Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "k", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	client := newClient()
	client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		creation, _ := action.(clienttesting.CreateAction)
		slice, _ := creation.GetObject().DeepCopyObject().(*resourceapi.ResourceSlice)
		slice.Spec.Devices[0].Taints = nil
		return true, slice, nil
	})
	publishMutated(t, client, spec.MutantUnchecked, tainted)
}

// TestMutantsOfMetadata: each shows in the files the library gives a container.
func TestMutantsOfMetadata(t *testing.T) {
	const good = `"containerPath":"/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/gpu/r/` + driver + `-metadata.json"`
	for mutant, want := range map[spec.MutantID][]string{
		"":                               {good, `"ro"`},
		spec.MutantMetadataOfClaim:       {strings.Replace(good, "resourceclaimtemplates", "resourceclaims", 1), `"ro"`},
		spec.MutantMetadataWithoutDriver: {strings.Replace(good, driver+"-", "", 1), `"ro"`},
		spec.MutantMetadataWritable:      {good, `"rw"`},
	} {
		t.Run(string(mutant), func(t *testing.T) {
			root := shortDir(t)
			kubelet := startKubelet(t, root)
			agent, client := newAgent(t, root)
			if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.WritingMetadata(profiles.OneDevice()), Mutant: mutant}); err != nil {
				t.Fatal(err)
			}
			kubelet.registered(t, 1)
			claim := allocatedIn(t, client, "c", "device-0")
			claim.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: "gpu"}
			if _, err := client.ResourceV1().ResourceClaims(claim.Namespace).Update(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if answer := kubelet.prepare(t, claim); answer.GetError() != "" {
				t.Fatal(answer.GetError())
			}
			files, err := filepath.Glob(filepath.Join(root, "cdi", "*_metadata_*.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("CDI files with metadata: %v, %v", files, err)
			}
			content, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range want {
				if !strings.Contains(strings.ReplaceAll(string(content), ": ", ":"), part) {
					t.Errorf("%s is not in %s", part, content)
				}
			}
		})
	}
}

// Each mutant is a fault of the kubelet's calls, or built in elsewhere.
func TestMutantsAreFaultsOrBuiltIn(t *testing.T) {
	for _, m := range spec.Mutants() {
		i := newInstance(Config{}, spec.DriverConfig{Name: driver, Mutant: spec.MutantID(m.ID)})
		if i.script.Mutant != m.Fault || i.publisher.mutant != spec.MutantID(m.ID) {
			t.Errorf("mutant %s: fault %v", m.ID, i.script.Mutant)
		}
		if m.Fault != (spec.Fault{}) {
			if err := m.Fault.Validate(); err != nil {
				t.Errorf("mutant %s: %v", m.ID, err)
			}
		}
	}
}

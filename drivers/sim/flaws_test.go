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

// publishFlawed publishes profiles with a flaw and returns the slices.
func publishFlawed(t *testing.T, client *fake.Clientset, flaw spec.Flaw, all ...spec.Profile) []resourceapi.ResourceSlice {
	t.Helper()
	p := &publisher{agent: Config{NodeName: node, Client: client}, driver: driver, flaw: flaw}
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

func TestFlawsOfPublishing(t *testing.T) {
	for _, s := range publishFlawed(t, newClient(), spec.FlawNoOwner, profiles.OneDevice()) {
		if len(s.OwnerReferences) > 0 {
			t.Errorf("flaw %s: %v", spec.FlawNoOwner, s.OwnerReferences)
		}
	}
	mapped := profiles.OneDevice()
	mapped.Pools[0].Devices[0].NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{corev1.ResourceMemory: {}}
	for _, s := range publishFlawed(t, newClient(), spec.FlawNoMapping, mapped) {
		if s.Spec.Devices[0].NodeAllocatableResources != nil {
			t.Errorf("flaw %s: %v", spec.FlawNoMapping, s.Spec.Devices[0].NodeAllocatableResources)
		}
	}
	if mapped.Pools[0].Devices[0].NodeAllocatableResources == nil {
		t.Errorf("flaw %s changes the inventory itself", spec.FlawNoMapping)
	}
	before, after := profiles.Devices(130), profiles.Devices(130)
	for i := range after.Pools[0].Devices {
		after.Pools[0].Devices[i].Attributes["changed"] = resourceapi.DeviceAttribute{StringValue: new(string)}
	}
	for _, s := range publishFlawed(t, newClient(), spec.FlawInPlace, before, after) {
		if _, changed := s.Spec.Devices[0].Attributes["changed"]; s.Spec.Pool.Generation != 1 || !changed {
			t.Errorf("flaw %s: generation %d, changed: %t", spec.FlawInPlace, s.Spec.Pool.Generation, changed)
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
	publishFlawed(t, client, spec.FlawUnchecked, tainted)
}

// TestFlawsOfMetadata: each is in what the library has a container get.
func TestFlawsOfMetadata(t *testing.T) {
	const good = `"containerPath":"/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/gpu/r/` + driver + `-metadata.json"`
	for flaw, want := range map[spec.Flaw][]string{
		"":                             {good, `"ro"`},
		spec.FlawMetadataOfClaim:       {strings.Replace(good, "resourceclaimtemplates", "resourceclaims", 1), `"ro"`},
		spec.FlawMetadataWithoutDriver: {strings.Replace(good, driver+"-", "", 1), `"ro"`},
		spec.FlawMetadataWritable:      {good, `"rw"`},
	} {
		t.Run(string(flaw), func(t *testing.T) {
			root := shortDir(t)
			kubelet := startKubelet(t, root)
			agent, client := newAgent(t, root)
			if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.WritingMetadata(profiles.OneDevice()), Flaw: flaw}); err != nil {
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

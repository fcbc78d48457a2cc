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
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// waiting is a claim allocated on the node and waiting for its device.
func waiting(name string) *resourceapi.ResourceClaim {
	claim := allocated(name, "device-0")
	claim.Status.Allocation.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
	}}}
	claim.Status.Allocation.Devices.Results[0].BindingConditions = []string{profiles.Attached}
	return claim
}

func conditions(t *testing.T, client *fake.Clientset, claim string) []metav1.Condition {
	t.Helper()
	got, err := client.ResourceV1().ResourceClaims("ns").Get(t.Context(), claim, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Status.Devices) == 0 {
		return nil
	}
	return got.Status.Devices[0].Conditions
}

func setConditions(t *testing.T, agent *Agent, conditions ...spec.FabricCondition) {
	t.Helper()
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Fabric: &conditions}); err != nil {
		t.Fatal(err)
	}
}

func TestFabric(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, client := newAgent(t, root, waiting("early"))
	refused := 0
	client.PrependReactor("update", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		if refused++; refused == 1 {
			return true, nil, apierrors.NewInternalError(errors.New("not now"))
		}
		return false, nil, nil
	})
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.FabricDevice()}); err != nil {
		t.Fatal(err)
	}

	setConditions(t, agent, spec.FabricCondition{Type: profiles.Attached, Delay: 20 * time.Millisecond, Message: "here it is"})
	eventually(t, "a claim that was there is answered, at the second try", func() bool { return len(conditions(t, client, "early")) == 1 })
	if _, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), waiting("late"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new claim is answered", func() bool { return len(conditions(t, client, "late")) == 1 })

	got := conditions(t, client, "late")[0]
	if got.Type != profiles.Attached || got.Status != metav1.ConditionTrue || got.Message != "here it is" {
		t.Errorf("condition is %v", got)
	}
	eventually(t, "both are recorded", func() bool { return len(statusOf(t, agent).Conditions) == 2 })
}

func TestFabricFallsSilent(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.FabricDevice()}); err != nil {
		t.Fatal(err)
	}
	setConditions(t, agent, spec.FabricCondition{Type: profiles.Attached, Claim: "other"})
	setConditions(t, agent)
	if _, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), waiting("claim"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The watch has ended; the next script starts a new one.
	setConditions(t, agent, spec.FabricCondition{Type: profiles.Attached})
	eventually(t, "the new script is followed", func() bool { return len(conditions(t, client, "claim")) == 1 })
	eventually(t, "it is recorded once", func() bool { return len(statusOf(t, agent).Conditions) == 1 })
}

func TestFabricRefusesNonsense(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, _ := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.Empty()}); err != nil {
		t.Fatal(err)
	}
	err := agent.Change(t.Context(), driver, spec.DriverChange{Fabric: &[]spec.FabricCondition{{Delay: -1}}})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
}

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

package inject

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

const driver = "sim.example.com"

var rewrite = flag.Bool("rewrite", false, "rewrite testdata")

// claim has two requests of the driver, one with two devices, and one request of another driver.
func claim() *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "pod-gpus-x7k2p", UID: "7d1c",
			Annotations: map[string]string{resourceapi.PodResourceClaimAnnotation: "my-gpus"},
		},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{
				{Request: "big/first", Driver: driver, Pool: "node", Device: "device-0"},
				{Request: "nic", Driver: "other.example.com", Pool: "p", Device: "nic-0"},
				{Request: "two", Driver: driver, Pool: "node", Device: "device-2"},
				{Request: "two", Driver: driver, Pool: "node-b", Device: "device-1"},
			},
			Config: []resourceapi.DeviceAllocationConfiguration{
				config(resourceapi.AllocationConfigSourceClass, driver, `{"mode":"fast","a":"class"}`),
				config(resourceapi.AllocationConfigSourceClaim, driver, `{"apiVersion":"v1","kind":"P","a":"b"}`),
				config(resourceapi.AllocationConfigSourceClaim, driver, `{"only":"two"}`, "two"),
				config(resourceapi.AllocationConfigSourceClaim, driver, `{"sub":"first"}`, "big/first"),
				config(resourceapi.AllocationConfigSourceClaim, driver, `{"sub":"second"}`, "big/second"),
				config(resourceapi.AllocationConfigSourceClaim, "other.example.com", `{"x":"y"}`),
			},
		}}},
	}
}

func config(source resourceapi.AllocationConfigSource, driver, parameters string, requests ...string) resourceapi.DeviceAllocationConfiguration {
	return resourceapi.DeviceAllocationConfiguration{
		Source: source, Requests: requests,
		DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)},
		}},
	}
}

func TestClaim(t *testing.T) {
	spec, devices, err := Claim(driver, claim())
	if err != nil {
		t.Fatal(err)
	}
	want := []Device{
		{Request: "big/first", Pool: "node", Device: "device-0", CDI: "sim.example.com/claim=7d1c-0"},
		{Request: "two", Pool: "node", Device: "device-2", CDI: "sim.example.com/claim=7d1c-1"},
		{Request: "two", Pool: "node-b", Device: "device-1", CDI: "sim.example.com/claim=7d1c-2"},
	}
	if diff := cmp.Diff(want, devices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	got, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/claim.json"
	if *rewrite {
		if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(text)), string(got)); diff != "" {
		t.Errorf("CDI spec (-want +got), go test -rewrite accepts it:\n%s", diff)
	}
}

func TestClaimOfOtherDriver(t *testing.T) {
	spec, devices, err := Claim("third.example.com", claim())
	if spec != nil || devices != nil || err != nil {
		t.Errorf("got %v, %v, %v; want nothing", spec, devices, err)
	}
}

func TestAdminAccess(t *testing.T) {
	c := claim()
	c.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	spec, _, err := Claim(driver, c)
	if err != nil {
		t.Fatal(err)
	}
	if env := strings.Join(spec.Devices[0].ContainerEdits.Env, "\n"); !strings.Contains(env, "adminaccess_my_gpus_big_first=true") {
		t.Errorf("no sign of admin access in\n%s", env)
	}
	if env := strings.Join(spec.Devices[1].ContainerEdits.Env, "\n"); strings.Contains(env, "adminaccess") {
		t.Errorf("admin access for the wrong request:\n%s", env)
	}
}

func TestParameters(t *testing.T) {
	tests := []struct{ name, raw, problem string }{
		{"empty", `{}`, ""},
		{"strings", `{"a":"b=c"}`, ""},
		{"no object", `["a"]`, "must be a JSON object"},
		{"no JSON", `a: b`, "must be a JSON object"},
		{"number", `{"a":1}`, `value of "a" is not a string`},
		{"bad key", `{"a=b":"c"}`, `"a=b" can not be an environment variable`},
		{"bad value", `{"a":"\u0000"}`, `"a" can not be an environment variable`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parameters([]byte(test.raw))
			if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
				t.Errorf("got %v, want %q", err, test.problem)
			}
		})
	}
}

func TestConflict(t *testing.T) {
	other := func(change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
		c := claim()
		c.UID, c.Name = "other", "other"
		change(c)
		return c
	}
	results := func(c *resourceapi.ResourceClaim) []resourceapi.DeviceRequestAllocationResult {
		return c.Status.Allocation.Devices.Results
	}
	tests := []struct {
		name     string
		other    *resourceapi.ResourceClaim
		conflict bool
	}{
		{"same devices", other(func(*resourceapi.ResourceClaim) {}), true},
		{"same claim", claim(), false},
		{"shared", other(func(c *resourceapi.ResourceClaim) {
			for i := range results(c) {
				results(c)[i].ShareID = ptr.To(types.UID("s"))
			}
		}), false},
		{"other pool", other(func(c *resourceapi.ResourceClaim) {
			for i := range results(c) {
				results(c)[i].Pool = "elsewhere"
			}
		}), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wanted, _, err := Claim(driver, claim())
			if err != nil {
				t.Fatal(err)
			}
			prepared, _, err := Claim(driver, test.other)
			if err != nil {
				t.Fatal(err)
			}
			if err := Conflict(wanted, []*cdispec.Spec{prepared}); (err != nil) != test.conflict {
				t.Errorf("got %v, conflict wanted: %v", err, test.conflict)
			}
		})
	}
}

func TestFileName(t *testing.T) {
	name := FileName(driver, "7d1c")
	if uid, ok := UID(driver, name); !ok || uid != "7d1c" {
		t.Errorf("UID(%q) = %q, %v", name, uid, ok)
	}
	if _, ok := UID("im.example.com", name); ok {
		t.Errorf("%q was taken for another driver's", name)
	}
}

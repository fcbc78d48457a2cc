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

package kubelet

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/utils/clock"
	"tags.cncf.io/container-device-interface/pkg/parser"
)

// FuzzCDISpecs checks that a driver's CDI spec has only qualified devices, and does not hide those of another one.
func FuzzCDISpecs(f *testing.F) {
	f.Add([]byte(`{"cdiVersion":"0.6.0","kind":"a.example.com/gpu","devices":[{"name":"d","containerEdits":{"env":["A=b"]}}]}`))
	f.Add([]byte("cdiVersion: 1.0.0\nkind: vendor/class\ndevices: &a [{name: e, containerEdits: {}}, null]\ncontainerEdits: {hooks: *a}\n"))
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "good.json"), []byte(`{"cdiVersion":"0.6.0","kind":"good.example.com/gpu","devices":[{"name":"g","containerEdits":{"env":["A=b"]}}]}`), 0o600); err != nil {
		f.Fatal(err)
	}
	const good = "good.example.com/gpu=g"
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "fuzz.yaml"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		spec, specErr := readSpec(filepath.Join(dir, "fuzz.yaml"), 0)
		devices := (&cdiSpecs{dirs: []string{dir}}).devices()
		for device := range devices {
			if _, _, _, err := parser.ParseQualifiedName(device); err != nil {
				t.Error(err)
			}
		}
		same := specErr == nil && spec.GetVendor() == "good.example.com" && spec.GetClass() == "gpu"
		if !devices.Has(good) && !same {
			t.Errorf("the other spec has lost its device: %v", devices)
		}
		if specErr != nil && len(devices) != 1 {
			t.Errorf("an unreadable spec has devices: %v, %v", devices, specErr)
		}
	})
}

// FuzzReadHealth checks that the health of devices is read or refused, and can be written.
func FuzzReadHealth(f *testing.F) {
	f.Add([]byte(`{"d":{"Devices":{"p/x":{"PoolName":"p","DeviceName":"x","Health":"Healthy","LastUpdated":"2027-01-02T03:04:05Z","HealthCheckTimeout":-1}}}}`))
	f.Add([]byte(`{"d":null,"":{"Devices":{"":null}}}`))
	path := filepath.Join(f.TempDir(), "health")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cache, err := readHealth(path, clock.RealClock{})
		if cache == nil {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		if err := cache.write(); err != nil {
			t.Fatal(err)
		}
		if again, err := readHealth(path, clock.RealClock{}); err != nil || len(again.drivers) != len(cache.drivers) {
			t.Errorf("%d drivers, then %d: %v", len(cache.drivers), len(again.drivers), err)
		}
	})
}

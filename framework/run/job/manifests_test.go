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

package job

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/testbed/access"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", path, d)
	}
}

func TestManifests(t *testing.T) {
	c := Config{Namespace: "conformance", Image: "mirror.example.com/dra/dratest:v1.2.3", Command: "run", Args: []string{"--focus=^core/"}, Rules: access.Rules(false)}
	printed, err := Manifests(c)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "manifests.yaml", printed)
	if printed, err = Sonobuoy(c); err != nil {
		t.Fatal(err)
	}
	golden(t, "sonobuoy.yaml", printed)
}

// Applying or deleting one installation does not affect another one's rights.
func TestInstallationsInTwoNamespacesShareNothing(t *testing.T) {
	one, other := Config{Namespace: "one"}, Config{Namespace: "other"}
	if role(one).Name == role(other).Name || binding(one).Name == binding(other).Name {
		t.Errorf("both have the role %s or the binding %s", role(one).Name, binding(one).Name)
	}
	for _, c := range []Config{one, other} {
		if to := binding(c).RoleRef.Name; to != role(c).Name {
			t.Errorf("the binding in %s is to role %s, not to %s", c.Namespace, to, role(c).Name)
		}
	}
}

// A certification needs driver.yaml, and its pod a node and an image.
func TestManifestsOfACertification(t *testing.T) {
	printed, err := Manifests(Config{
		Namespace: "conformance", Image: "mirror.example.com/dra/dratest:v1.2.3", Command: "certify", Args: []string{"--file=/etc/dratest/file.yaml"},
		Files: map[string]string{"file.yaml": "driver: gpu.example.com\n"}, Rules: access.Certifying(),
		Pod: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "certify.yaml", printed)
}

// The kubelet made --valid-config={"a":"$$"} of a Job {"a":"$"}.
func TestKubeletsExpandNoArgument(t *testing.T) {
	given := []string{"--focus=^core/a$", `--valid-config={"a":"$$"}`, "--skip=$(HOME)|b$"}
	want := []string{"--focus=^core/a$", `--valid-config={"a":"$$$$"}`, "--skip=$$(HOME)|b$$"}
	if d := cmp.Diff(want, job(Config{Args: given}).Spec.Template.Spec.Containers[0].Args[3:]); d != "" {
		t.Error(d)
	}
}

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

package metadata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	inBeta  = `{"kind":"DeviceMetadata","apiVersion":"metadata.resource.k8s.io/v1beta1","metadata":{"name":"c","namespace":"ns","uid":"1"},"podClaimName":"gpu","requests":[{"name":"req/big","devices":[{"driver":"gpu.example.com","pool":"n","name":"gpu-0","attributes":{"model":{"string":"a"}}}]}]}`
	inAlpha = `{"kind":"DeviceMetadata","apiVersion":"metadata.resource.k8s.io/v1alpha1","metadata":{"name":"c","namespace":"ns","uid":"1"},"podClaimName":"gpu","requests":[{"name":"req/big","devices":[{"driver":"gpu.example.com","pool":"n","name":"gpu-0"}]}]}`
	inLater = `{"kind":"DeviceMetadata","apiVersion":"metadata.resource.k8s.io/v9","what":"nobody knows"}`
)

func TestReadMetadata(t *testing.T) {
	it := tale{Namespace: "ns", Claim: "c", UID: "1", PodClaim: "gpu", Devices: []string{"request req/big: device gpu-0 of pool n of driver gpu.example.com"}}
	for name, tc := range map[string]struct {
		content string
		want    []oneVersion
		fails   string
	}{
		"two versions":          {inBeta + "\n" + inAlpha + "\n", []oneVersion{{"v1beta1", it}, {"v1alpha1", it}}, ""},
		"and one of the future": {inLater + inBeta, []oneVersion{{"v1beta1", it}}, ""},
		"only of the future":    {inLater, nil, "has no known version"},
		"empty":                 {"", nil, "has no known version"},
		"half of it":            {inBeta[:40], nil, "read JSON: unexpected EOF"},
		"of another group":      {strings.Replace(inBeta, "metadata.resource.k8s.io", "example.com", 1), nil, "no compatible metadata version"},
		"not valid":             {strings.Replace(inBeta, `"gpu-0"`, `"GPU 0"`, 1), nil, "requests[0].devices[0].name"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readMetadata(tc.content)
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(oneVersion{})); d != "" {
				t.Error(d)
			}
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("fails with %v, want %q", err, tc.fails)
			}
		})
	}
}

func TestPath(t *testing.T) {
	for podClaim, want := range map[string]string{
		"":    "/var/run/kubernetes.io/dra-device-attributes/resourceclaims/pod-gpu-x7k2b/req/gpu.example.com-metadata.json",
		"gpu": "/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/gpu/req/gpu.example.com-metadata.json",
	} {
		claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "pod-gpu-x7k2b"}}
		if podClaim != "" {
			claim.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: podClaim}
		}
		if got := Path("gpu.example.com", claim, "req"); got != want {
			t.Errorf("path is %s, want %s", got, want)
		}
	}
}

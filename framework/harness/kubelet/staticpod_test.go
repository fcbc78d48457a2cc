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

import "testing"

func TestStaticPodPathIsThatOfTheKubelet(t *testing.T) {
	got, err := staticPodPathIn([]byte(`{"kubeletconfig": {"staticPodPath": "/etc/kubernetes/manifests", "port": 10250}}`))
	if err != nil || got != "/etc/kubernetes/manifests" {
		t.Errorf("got %q: %v", got, err)
	}
	if got, err := staticPodPathIn([]byte(`{"kubeletconfig": {}}`)); err != nil || got != "" {
		t.Errorf("without one: %q: %v", got, err)
	}
	if _, err := staticPodPathIn([]byte("no")); err == nil {
		t.Error("no error about what is no JSON")
	}
}

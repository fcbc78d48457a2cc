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

package staticpod

import (
	"slices"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	command := func(data []byte) (image string, command []string) {
		pod, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Command
	}
	newer, err := WithImage(manifest(t, "stock:1", "--v=5"), "stock:2")
	if err != nil {
		t.Fatal(err)
	}
	if image, args := command(newer); image != "stock:2" || !slices.Equal(args, []string{"kube-scheduler", "--v=5"}) {
		t.Errorf("image: %s %v", image, args)
	}
	for _, tc := range []struct {
		has  []string
		on   bool
		want string
	}{
		{nil, true, "--feature-gates=B=true"},
		{[]string{"--feature-gates=C=true,A=false"}, false, "--feature-gates=A=false,B=false,C=true"},
		{[]string{"--feature-gates=B=true"}, false, "--feature-gates=B=false"},
	} {
		switched, err := WithGate(manifest(t, "stock:1", tc.has...), "B", tc.on)
		if err != nil {
			t.Fatal(err)
		}
		if _, args := command(switched); !slices.Equal(args, []string{"kube-scheduler", tc.want}) {
			t.Errorf("%v: got %v", tc.has, args)
		}
	}
	substituted, err := Substitute(manifest(t, "stock:1"), "own:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WithImage(substituted, "stock:2"); err == nil || !strings.Contains(err.Error(), "start from the original") {
		t.Errorf("substituted: %v", err)
	}
}

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

package evidence

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

func TestPack(t *testing.T) {
	want := &agentapi.Evidence{Files: map[string][]byte{"kubelet.log": bytes.Repeat([]byte("a line\n"), 10_000)}, Missing: []string{"containerd.log: no"}}
	line, err := Pack(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack([]byte("a warning\n" + line + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	for name, log := range map[string]string{"none": "no such file", "cut": line[:len(line)/2], "empty": packed} {
		if _, err := Unpack([]byte(log)); err == nil || !strings.Contains(err.Error(), "evidence") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

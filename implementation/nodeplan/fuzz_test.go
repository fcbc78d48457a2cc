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

package nodeplan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// FuzzDecode checks that a checkpoint is read, is corrupt, or has another version, and that what was read survives a
// round trip. The checksum of the content is right, as that of any other fails.
func FuzzDecode(f *testing.F) {
	f.Add(`{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[{"ClaimUID":"u","ClaimName":"c","Namespace":"n","PodUIDs":{"p":{}},"DriverState":{"d":{"Devices":[{"PoolName":"p","ShareID":"s","RequestNames":["r"]}],"later":1}}}]}`)
	f.Add(`{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[null,{"PodUIDs":null,"DriverState":{"":{}}}]}`)
	f.Add(`{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v2"}`)
	f.Fuzz(func(t *testing.T, content string) {
		content = strings.ToValidUTF8(content, "")
		file, err := json.Marshal(map[string]any{"Data": content, "Checksum": crc32.ChecksumIEEE([]byte(content))})
		if err != nil {
			t.Fatal(err)
		}
		claims, err := nodeplan.Decode(file)
		if err != nil {
			if !errors.Is(err, nodeplan.ErrCorrupt) && !errors.Is(err, nodeplan.ErrOtherVersion) {
				t.Error(err)
			}
			return
		}
		once, err := nodeplan.Encode(claims)
		if err != nil {
			t.Fatal(err)
		}
		again, err := nodeplan.Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := nodeplan.Encode(again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s (%v)", once, twice, err)
		}
	})
}

// FuzzDecodeFile checks that any other content of the file is corrupt or has another version.
func FuzzDecodeFile(f *testing.F) {
	f.Add([]byte(`{"Data":"{}","Checksum":2745614147}`))
	f.Add([]byte(`{"Data":null,"Checksum":0}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if claims, err := nodeplan.Decode(file); err != nil && (claims != nil || !errors.Is(err, nodeplan.ErrCorrupt) && !errors.Is(err, nodeplan.ErrOtherVersion)) {
			t.Errorf("%v, %v", claims, err)
		}
	})
}

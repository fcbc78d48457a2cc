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
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// FuzzUnpack checks that evidence in a pod's log is whole, and survives a round trip.
func FuzzUnpack(f *testing.F) {
	if line, err := Pack(&agentapi.Evidence{}); err != nil {
		f.Error(err)
	} else {
		f.Add([]byte("other\n" + line + "\n"))
	}
	f.Add([]byte(packed + "H4sIAAAAAAAA/wEAAP//AAAAAAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		found, err := Unpack(log)
		if err != nil {
			return
		}
		line, err := Pack(found)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Unpack([]byte(line)); err != nil || !proto.Equal(found, again) {
			t.Errorf("%v, then %v: %v", found, again, err)
		}
	})
}

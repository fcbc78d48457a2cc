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

package agentapi_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// FuzzPreparedIn checks that a kubelet's checkpoint is read whole, or refused.
func FuzzPreparedIn(f *testing.F) {
	f.Add([]byte(`{"Data":"{\"kind\":\"DRACheckpoint\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"u\",\"ClaimName\":\"c\",\"Namespace\":\"n\",\"PodUIDs\":{\"p\":{}}}]}","Checksum":1}`))
	f.Add([]byte(`{"Data":"{}"}`))
	f.Add([]byte(`{"Data":"null","Checksum":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		claims, err := agentapi.PreparedIn(data)
		if err != nil && claims != nil {
			t.Errorf("%d claims of a checkpoint that cannot be read: %v", len(claims), err)
		}
	})
}

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

package scheduler

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// FuzzDecodeArgs checks that accepted arguments of the plugin are valid.
func FuzzDecodeArgs(f *testing.F) {
	f.Add([]byte("apiVersion: " + ArgsAPIVersion + "\nkind: " + ArgsKind + "\nfilterTimeout: 5s\nfilterTimeoutPolicy: AbortAttempt\nmaxSearchSteps: 10\n"))
	f.Add([]byte(`{"bindingTimeout":"-1s","maxSearchSteps":1e30,"filterTimeout":null}`))
	f.Add([]byte("? &a [b]\n: *a\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := decodeArgs(&runtime.Unknown{Raw: raw})
		if err != nil {
			return
		}
		if err := args.Validate(); err != nil {
			t.Errorf("%+v is accepted: %v", args, err)
		}
	})
}

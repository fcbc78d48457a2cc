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
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

func raw(text string) *runtime.Unknown { return &runtime.Unknown{Raw: []byte(text)} }

func TestDecodeArgs(t *testing.T) {
	args, err := decodeArgs(raw(`{"apiVersion": "dra-conformance.github.io/v1alpha1", "kind": "DRAArgs",
		"filterTimeout": "0s", "filterTimeoutPolicy": "AbortAttempt", "bindingTimeout": "1s", "maxSearchSteps": 7}`))
	if err != nil {
		t.Fatal(err)
	}
	want := DRAArgs{FilterTimeoutPolicy: AbortAttempt, MaxSearchSteps: 7}
	want.BindingTimeout.Duration = time.Second
	if args != want {
		t.Errorf("got %+v, want %+v", args, want)
	}
	for _, obj := range []runtime.Object{nil, raw(""), raw("{}"), raw("bindingTimeout: null")} {
		if args, err := decodeArgs(obj); err != nil || args != DefaultArgs() {
			t.Errorf("%v: %+v, %v", obj, args, err)
		}
	}
}

func TestDecodeArgsReportsAllProblems(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{`{"bindingTimeout": "1ms", "filterTimeout": "-1s", "filterTimeoutPolicy": "Maybe", "maxSearchSteps": -1}`,
			[]string{"bindingTimeout: 1ms must be at least 1s", "filterTimeout: -1s must be zero or more", "filterTimeoutPolicy: ", "maxSearchSteps: -1"}},
		{`{"kind": "Other", "apiVersion": "v2", "filtertimeout": "1s", "bindingTimeout": 5}`,
			[]string{`kind: "Other" must be "DRAArgs"`, `apiVersion: "v2" must be`, "filtertimeout: unknown field", "bindingTimeout: json"}},
		{"bindingTimeout: 5s\nbindingTimeout: 6s\n", []string{"already set"}},
		{"- a", []string{"cannot unmarshal array"}},
		{`{"kind": 1}`, []string{"kind: json"}},
	} {
		_, err := decodeArgs(raw(tc.text))
		if err == nil {
			t.Errorf("%s: no error", tc.text)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q, want %q in it", tc.text, err, want)
			}
		}
	}
	if _, err := decodeArgs(node("a")); err == nil {
		t.Error("no error for another type")
	}
}

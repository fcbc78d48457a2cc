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

package sanity

import (
	"errors"
	"strings"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Devices are compared with each other, so an answer with too many must not get that far.
func TestFloodOfDevices(t *testing.T) {
	d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
		a := prepared(claim)
		for range 20_000 {
			a.Devices = append(a.Devices, &drapb.Device{PoolName: "p", DeviceName: "a"})
		}
		return a, nil
	}}
	started := time.Now()
	for _, c := range []Check{answerNamesDevices, prepareRepeated, parallelCalls, oldUnprepareSparesNew} {
		did(t, d.served(t, devices("a", "b")...), c, spec.Failed, "no claim has more than 32")
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("the checks have taken %s", took)
	}
}

// A driver's words are in each report, and on the terminal.
func TestFloodOfWords(t *testing.T) {
	d := &testDriver{prepare: func(string, *resourceapi.ResourceClaim) (*Answer, error) {
		return nil, errors.New("\x1b[2Jcleared \u202e" + strings.Repeat("x", 100_000))
	}}
	w := d.served(t, devices("a", "b")...)
	did(t, w, prepareRepeated, spec.Failed, "cleared \ufffdx")
	o := w.outcome(t.Context(), deviceStillPrepared)
	if text := o.Failure + o.Reason; len(text) > longest+100 || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "bytes more") {
		t.Errorf("%d bytes: %.100q", len(text), text)
	}
}

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

package core

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWaitSucceeded(t *testing.T) {
	pod := func(phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: harnesstest.Namespace, Name: "pod"}, Status: corev1.PodStatus{Phase: phase}}
	}
	done := harnesstest.New(t, spec.Meta{}, &harness.Env{}, pod(corev1.PodSucceeded))
	done.Succeeds(t, func() { waitSucceeded(done.T, "pod") })
	failed := harnesstest.New(t, spec.Meta{}, &harness.Env{}, pod(corev1.PodFailed))
	if failure := failed.Fails(t, func() { waitSucceeded(failed.T, "pod") }); failure == nil || !strings.Contains(failure.Text, "it has failed") {
		t.Errorf("got %+v", failure)
	}
}

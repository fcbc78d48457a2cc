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

package testbed

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Between the processes of an upgrade no other run may have the cluster: it would remove the drivers of running pods.
func TestMarkKeepsOthersAway(t *testing.T) {
	client := fake.NewClientset(spec.Namespace(metav1.ObjectMeta{Name: spec.SystemNamespace}))
	mine, other, run := &Testbed{Client: client, upgrade: "1"}, &Testbed{Client: client, upgrade: "2"}, &Testbed{Client: client}
	if err := run.expectMark(t.Context()); err != nil {
		t.Errorf("without a mark: %v", err)
	}
	if err := mine.MarkUpgrade(t.Context(), "on vm with the report directory /r"); err != nil {
		t.Fatal(err)
	}
	if err := mine.expectMark(t.Context()); err != nil {
		t.Errorf("the same upgrade: %v", err)
	}
	for _, b := range []*Testbed{other, run} {
		if err := b.expectMark(t.Context()); !errors.Is(err, ErrReserved) || !strings.Contains(err.Error(), "has begun (on vm with the report directory /r): run") {
			t.Errorf("upgrade %q: %v", b.upgrade, err)
		}
	}
	if err := (&Testbed{Client: fake.NewClientset()}).expectMark(t.Context()); err != nil {
		t.Errorf("without a namespace: %v", err)
	}
}

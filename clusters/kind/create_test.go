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

package kind

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Kind itself lets a node restart only once.
func TestNodesOfACompleteClusterAreStartedAgain(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, time.Now(), "x-control-plane", "x-worker")
	e.add("y", true, time.Now(), "y-control-plane")
	s, err := p.parts()
	if err != nil {
		t.Fatal(err)
	}
	r := record{Name: "x", Version: "v1"}
	if err := s.adopt(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	want := []string{"x-control-plane", "x-worker"}
	if d := cmp.Diff(want, e.revived); d != "" {
		t.Error(d)
	}
	if saved, err := s.store.mustLoad("x"); err != nil || !cmp.Equal(want, saved.Containers) {
		t.Errorf("remembered %q, %v", saved.Containers, err)
	}
}

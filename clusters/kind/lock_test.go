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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestLockNamesItsHolder(t *testing.T) {
	p, _, _, _ := setup(t)
	release, err := p.Lock("x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Create(t.Context(), clusters.Config{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("got error %v", err)
	}
	if _, err := p.Lock("y"); err != nil {
		t.Errorf("another cluster: %v", err)
	}
	release()
	release, err = p.Lock("x")
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	release()
	if _, err := os.Stat(filepath.Join(p.State, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of a cluster that never was is left: %v", err)
	}
}

// A run uses, exports and deletes its locked cluster.
func TestClusterIsUsedByItsHolder(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, created(), "a")
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}, Temporary: true})
	if _, err := p.Lock("x"); err != nil {
		t.Fatal(err)
	}
	other := &Provider{State: p.State, engine: e, maker: p.maker}
	if _, err := other.Create(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another process makes it: %v", err)
	}
	if err := other.Delete(t.Context(), "x"); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another process deletes it: %v", err)
	}
	if err := p.Export("x", "config"); err != nil {
		t.Errorf("its maker exports it: %v", err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil || len(e.names()) > 0 {
		t.Errorf("its maker deletes it: %v, left %v", err, e.names())
	}
	release, err := other.Lock("x")
	if err != nil {
		t.Fatalf("it is held after it was deleted: %v", err)
	}
	release()
}

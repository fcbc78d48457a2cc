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

package site_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
)

// A killed manager continues with its state, at the same address, and remembers its clients.
func TestManagerIsKilled(t *testing.T) {
	s, err := site.Open(t.Context(), fabric.Config{
		Clusters: []fabric.Client{{Name: "east", Token: "t1"}, {Name: "west", Token: "t2"}}, AdminToken: "admin", Models: []fabric.ModelConfig{{Name: "gpu", Count: 1}},
	})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.As("t1").Attach(t.Context(), fabric.AttachRequest{Key: "k", Model: "gpu", Node: "n"}); err != nil {
		t.Fatal(err)
	}
	driver := s.As("t1")
	driver.Agent = site.DriverAgent("n")
	if _, err := driver.Inventory(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Asked("t1", site.DriverAgent("n")).IsZero() {
		t.Error("the driver's question was not noted")
	}
	for _, other := range [][2]string{{"t2", site.DriverAgent("n")}, {"t1", site.DriverAgent("m")}, {"t1", site.Agent}} {
		if at := s.Asked(other[0], other[1]); !at.IsZero() {
			t.Errorf("%v has asked at %s", other, at)
		}
	}
	base := s.As("t1").Base
	for range 2 { // stopped ones are no error
		if err := s.End(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.As("t1").Inventory(t.Context()); err == nil {
		t.Error("it still answers")
	}
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.As("t1").Inventory(t.Context())
	if err != nil || len(got.Devices) != 1 || s.As("t1").Base != base {
		t.Errorf("inventory %+v at %s, %v", got, base, err)
	}
}

func TestControllerThatCannotBeStarted(t *testing.T) {
	s, err := site.Open(t.Context(), fabric.Config{Clusters: []fabric.Client{{Name: "east", Token: "t1"}}, AdminToken: "admin"})
	defer func() { _ = s.Close() }()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Control(site.Config{Program: "/does/not/exist", Client: site.Client{Kubeconfig: "/does/not/exist"}}); err == nil || !strings.Contains(err.Error(), "start the controller") {
		t.Errorf("got %v", err)
	}
}

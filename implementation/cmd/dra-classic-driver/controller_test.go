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

package main

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

func TestAllMistakesAreTold(t *testing.T) {
	o := options{connection: connection{name: "No Name"}, driver: sampledriver.Config{Devices: -1, Nodes: "in ("}}
	err := o.validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"--driver-name", "--kube-api-qps", "--workers", "must not be negative", "label selector"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	o = options{connection: connection{name: "test-driver.example.com", qps: 1, burst: 1}, workers: 1, driver: sampledriver.Config{Devices: 1, FailAllocate: -1}}
	if err := o.validate(); err != nil {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	cmd := controllerCommand()
	if err := cmd.ParseFlags([]string{"--devices=3", "--network", "--refuse-nodes=a,b", "--nodes=rack=1", "--fail-allocate=-1", "--allocate-takes=2s", "--v=4"}); err != nil {
		t.Error(err)
	}
	if err := cmd.ParseFlags([]string{"--unknown"}); err == nil {
		t.Error("an unknown flag is taken")
	}
}

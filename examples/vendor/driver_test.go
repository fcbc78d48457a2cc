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

// Package driver_test is what the vendor of a DRA driver adds to its repository, so that its own
// "go test" tests the driver.
package driver_test

import (
	"flag"
	"testing"

	"github.com/dra-conformance/dratest/suites/vendortest"
)

var (
	kubeconfig = flag.String("kubeconfig", "", "kubeconfig of a cluster that has the driver")
	node       = flag.String("node", "", "name of this machine, if it is a node with the driver")
	disruptive = flag.Bool("disruptive", false, "restart kubelets and the driver, too")
)

// With -disruptive it runs all cases: go test -run TestCases -timeout 0 . -args -kubeconfig ~/.kube/config
func TestCases(t *testing.T) {
	if *kubeconfig == "" {
		t.Skip("needs a cluster that has the driver: -args -kubeconfig FILE")
	}
	vendortest.Cases(t, "driver.yaml", *kubeconfig, vendortest.Options{Disruptive: *disruptive})
}

// On a node: go test -run TestSanity . -args -kubeconfig /etc/kubernetes/admin.conf -node $(hostname)
func TestSanity(t *testing.T) {
	if *node == "" {
		t.Skip("needs a node that has the driver: -args -kubeconfig FILE -node NAME")
	}
	vendortest.Sanity(t, "driver.yaml", *kubeconfig, *node, vendortest.Options{})
}

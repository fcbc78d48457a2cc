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

package undertest

import (
	"cmp"
	"time"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
)

// New returns the constructor of drivers under test for harness.Env. Without hooks, cases that
// need the vendor's commands are blocked.
func New(hooks Hooks) func(t *harness.T, running bool) harness.Driver {
	return func(t *harness.T, _ bool) harness.Driver {
		ginkgo.GinkgoHelper()
		d := &Driver{t: t, spec: *t.Target().DriverUnderTest, hooks: hooks, started: time.Now(), lines: map[[2]string]string{}, cdi: map[types.UID][]string{}}
		t.Image = cmp.Or(d.spec.Workload.Image, t.Image)
		pods, err := d.driverPods(t.Context())
		t.NoError(err, "look at the driver's pods")
		d.podsBefore = pods
		t.AddEvidence(d.gather)
		t.OnPassed(d.expectAlone)
		t.OnRemoved(d.awaitUnprepared)
		return d
	}
}

// Of returns the driver under test, and remembers the CDI files on its nodes. Cases that call it
// have Needs.DriverPods.
func Of(t *harness.T) *Driver {
	ginkgo.GinkgoHelper()
	d, ok := t.Driver.(*Driver)
	if !ok {
		t.SetBlocked("the driver cannot be reached")
		t.Fatalf("there is no driver installed by its vendor")
	}
	d.before = map[string]map[string][]byte{}
	for _, node := range d.spec.Nodes {
		d.before[node] = d.specs(node)
	}
	return d
}

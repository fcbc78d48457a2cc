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

package certify

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Vendors is a driver installed by its declaration's hook other than for a certification, as for a cluster upgrade.
type Vendors struct {
	Declaration declarations.Declaration
	// PodImage is the pods' image if the declaration names none.
	PodImage string
	// Out gets lines for people.
	Out io.Writer
}

// Driver is the name of the driver.
func (v Vendors) Driver() string { return v.Declaration.Driver }

// Install runs the hook install in a cluster made by dratest. Errors wrap ErrNotThere.
func (v Vendors) Install(ctx context.Context, kubeconfig, cluster string) error {
	if v.Declaration.Hooks.Install.IsZero() {
		return fmt.Errorf("%w: hooks.install is not declared, which puts the driver into the cluster", ErrNotThere)
	}
	o := Options{Declaration: v.Declaration, Cluster: cluster}
	o.Run.Kubeconfig, o.Run.Out = kubeconfig, v.Out
	return o.hook(ctx, "install", v.Declaration.Hooks.Install)
}

// Find waits until the driver has published, and runs a pod with a device on each of its nodes. Errors: ErrDriver if
// the driver does not work at all, else ErrNotThere, including fewer devices than declared.
func (v Vendors) Find(ctx context.Context, b *testbed.Testbed) (spec.DriverUnderTest, error) {
	c := &running{declaration: v.Declaration, out: v.Out, image: cmp.Or(v.Declaration.Workload.Image, v.PodImage)}
	s, _, err := c.find(ctx, b)
	if err == nil && len(c.observation.short) > 0 {
		err = fmt.Errorf("%w: %s", ErrNotThere, strings.Join(c.observation.short, "; "))
	}
	return s, err
}

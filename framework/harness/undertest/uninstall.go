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
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Uninstall removes the driver with the vendor's hook and waits until its pods are gone. The driver
// is installed again when the case ends.
func (d *Driver) Uninstall() {
	ginkgo.GinkgoHelper()
	d.t.Step("run hook %s", spec.HookUninstall)
	d.endAll()
	d.gone = true
	d.putBack(spec.HookInstall, func() bool { return d.gone })
	d.t.NoError(d.hook(d.t.Context(), spec.HookUninstall), "uninstall the driver")
	d.t.Poll("the driver's pods to be gone", func(ctx context.Context) (bool, string, error) {
		pods, err := d.driverPods(ctx)
		return len(pods) == 0, fmt.Sprintf("%d pod(s)", len(pods)), err
	})
}

// Install undoes Uninstall and waits for the driver's slices.
func (d *Driver) Install() {
	ginkgo.GinkgoHelper()
	d.t.Step("run hook %s", spec.HookInstall)
	d.t.NoError(d.hook(d.t.Context(), spec.HookInstall), "install the driver")
	d.gone = false
	for _, node := range d.spec.Nodes {
		d.AwaitBack(node)
	}
}

// ExpectGone waits until the driver has no slices; kubelets remove them if nobody else does. It
// ends the case if a node still has sockets, CDI files or checkpoints of the driver. Other files
// below the kubelet's directories are only noted.
func (d *Driver) ExpectGone() {
	ginkgo.GinkgoHelper()
	d.t.Poll("the driver's slices to be gone", func(ctx context.Context) (bool, string, error) {
		list, err := d.t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(d.spec.Driver)})
		if err != nil {
			return false, "", fmt.Errorf("list slices: %w", err)
		}
		return len(list.Items) == 0, fmt.Sprintf("%d slices of the driver", len(list.Items)), nil
	})
	for _, node := range d.spec.Nodes {
		files, err := agentapi.ReadEvidence(d.t.Context(), d.t.Env().Agents, node, time.Now())
		if unseen := Unseen(d.spec, files); unseen != nil {
			d.t.SetBlocked("the node cannot be looked at")
			d.t.NoError(errors.Join(unseen, err), "look for leftovers on %s", node)
		}
		must, may := Left(d.spec, files)
		for _, name := range may {
			d.t.Note("uninstalling leaves on %s: %s", node, name)
		}
		d.t.Expect(must).To(gomega.BeEmpty(), "leftovers of the uninstallation on %s", node)
	}
}

// Unseen reports which parts of a node Left could not check: lists missing from its evidence, and
// checkpoints outside the directories of plugins, which evidence does not cover. It returns nil if
// Left sees everything.
func Unseen(s spec.DriverUnderTest, files map[string][]byte) error {
	var errs []error
	for _, list := range []string{"sockets", "plugins", "cdi-files"} {
		if _, ok := files[list]; !ok {
			errs = append(errs, fmt.Errorf("the node does not show all of its %s", list))
		}
	}
	for _, p := range s.CheckpointPaths {
		if clean := path.Clean(p); !strings.Contains(clean, "/plugins/") && !strings.Contains(clean, "/plugins_registry/") {
			errs = append(errs, fmt.Errorf("deploy.checkpointPaths: %s is not in the kubelet's plugins or plugins_registry, where alone it is looked for", p))
		}
	}
	return errors.Join(errs...)
}

// Left returns the files of a driver among the evidence of a node: files to be gone after the driver
// is uninstalled, and harmless ones. Names are paths on the node, relative to
// the kubelet's root directory for files below it.
func Left(s spec.DriverUnderTest, files map[string][]byte) (must, may []string) {
	for _, socket := range socketsOf(s.Driver, files) {
		must = append(must, "socket "+socket)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if file, is := strings.CutPrefix(name, "cdi/"); is && spec.Names(s.Driver, file+"\n"+string(files[name])) {
			must = append(must, "CDI file /"+file)
		}
	}
	for file := range strings.Lines(string(files["plugins"])) {
		file = strings.TrimSuffix(file, "\n")
		switch {
		case slices.ContainsFunc(s.CheckpointPaths, func(p string) bool { return strings.HasSuffix(path.Clean(p), "/"+file) }):
			must = append(must, "checkpoint "+file)
		case spec.Names(s.Driver, file):
			may = append(may, file)
		}
	}
	return must, may
}

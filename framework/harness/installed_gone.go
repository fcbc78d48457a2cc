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

package harness

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

// Uninstall has the vendor's hook remove the driver, and waits until it has no pods. The
// case ends with the driver installed again.
func (i *Installed) Uninstall() {
	ginkgo.GinkgoHelper()
	i.t.Step("run hook %s", spec.HookUninstall)
	i.endAll()
	i.gone = true
	i.putBack(spec.HookInstall, func() bool { return i.gone })
	i.t.NoError(i.hook(i.t.ctx, spec.HookUninstall), "uninstall the driver")
	i.t.Poll("the driver's pods to be gone", func(ctx context.Context) (bool, string, error) {
		pods, err := i.t.driverPods(ctx)
		return len(pods) == 0, fmt.Sprintf("%d pod(s)", len(pods)), err
	})
}

// Install is the way back from Uninstall; it waits until the driver has published.
func (i *Installed) Install() {
	ginkgo.GinkgoHelper()
	i.t.Step("run hook %s", spec.HookInstall)
	i.t.NoError(i.hook(i.t.ctx, spec.HookInstall), "install the driver")
	i.gone = false
	for _, node := range i.subject.Nodes {
		i.AwaitBack(node)
	}
}

// ExpectGone waits until the driver has no slices, which kubelets remove if nobody else does,
// and ends the case if a node still has sockets, CDI files or checkpoints of it. Other files
// below the kubelet's directories are only noted.
func (i *Installed) ExpectGone() {
	ginkgo.GinkgoHelper()
	i.t.Poll("the driver's slices to be gone", func(ctx context.Context) (bool, string, error) {
		list, err := i.t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(i.subject.Driver)})
		if err != nil {
			return false, "", fmt.Errorf("list slices: %w", err)
		}
		return len(list.Items) == 0, fmt.Sprintf("%d slices of the driver", len(list.Items)), nil
	})
	for _, node := range i.subject.Nodes {
		files, err := agentapi.ReadEvidence(i.t.ctx, i.t.env.Agents, node, time.Now())
		if unseen := Unseen(i.subject, files); unseen != nil {
			i.t.SetBlocked("the node cannot be looked at")
			i.t.NoError(errors.Join(unseen, err), "look for what is left on %s", node)
		}
		must, may := Left(i.subject, files)
		for _, name := range may {
			i.t.Note("uninstalling leaves on %s: %s", node, name)
		}
		i.t.Expect(must).To(gomega.BeEmpty(), "what uninstalling leaves on %s", node)
	}
}

// Unseen says what of a node Left could not see: lists that Nodes.Evidence has not whole, and
// checkpoints that are not in the directories of plugins, which it does not read; else nil.
func Unseen(s spec.Subject, files map[string][]byte) error {
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

// Left says which of the files of a node, as Nodes.Evidence has them, are a driver's: must
// not stay when it is uninstalled, and may, as they mislead nobody. Names are paths as the
// node has them, without the kubelet's root directory for what is below it.
func Left(s spec.Subject, files map[string][]byte) (must, may []string) {
	for socket := range strings.FieldsSeq(string(files["sockets"])) {
		if spec.Names(s.Driver, socket) {
			must = append(must, "socket "+socket)
		}
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

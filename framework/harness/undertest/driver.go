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
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Driver is the driver under test as its vendor installed it. A case checks what containers got with
// the workload's commands, the kubelet's podresources API and the container runtime.
type Driver struct {
	t       *harness.T
	spec    spec.DriverUnderTest
	hooks   Hooks
	started time.Time
	// lines describe devices, by pool and device.
	lines map[[2]string]string
	// answered are claims for which the driver has returned devices, or none.
	answered map[bool]string
	// cdi are the CDI devices of claims, as reported by kubelets and container runtimes.
	cdi map[types.UID][]string
	// before are the CDI files of nodes when the case began, by their paths.
	before map[string]map[string][]byte
	// podsBefore are the driver's pods when the case began.
	podsBefore []corev1.Pod
	// ended are the nodes where the case ends the driver.
	ended []string
	// previous, broken and gone are effects of hooks still to be undone.
	previous, broken, gone bool
}

// Hooks run commands of a driver's vendor. framework/run implements it.
type Hooks interface {
	// RunHook runs a command to its end and returns its output. environment is added to the
	// command's.
	RunHook(ctx context.Context, name spec.HookName, hook spec.Hook, environment ...string) (printed string, err error)
}

// driverPods are the driver's pods, or none if the run does not know where they are.
func (d *Driver) driverPods(ctx context.Context) ([]corev1.Pod, error) {
	if d.spec.Namespace == "" {
		return nil, nil
	}
	list, err := d.t.Client.CoreV1().Pods(d.spec.Namespace).List(ctx, metav1.ListOptions{LabelSelector: d.spec.Selector})
	if err != nil {
		return nil, fmt.Errorf("list the driver's pods: %w", err)
	}
	return list.Items, nil
}

// gather writes the logs of the driver's pods.
func (d *Driver) gather(ctx context.Context, w *harness.Evidence) {
	pods, err := d.driverPods(ctx)
	w.Problem("pods of the driver", err)
	since := metav1.NewTime(d.started)
	for _, p := range pods {
		for _, c := range p.Spec.Containers {
			for _, previous := range []bool{false, true} {
				log, err := harness.ReadLog(ctx, d.t.Client, p.Namespace, p.Name, corev1.PodLogOptions{Container: c.Name, SinceTime: &since, Previous: previous})
				name := p.Spec.NodeName + "." + c.Name
				if previous {
					name += ".previous"
					if err != nil {
						continue // it has not been restarted
					}
				}
				w.Problem("log of the driver's pod "+p.Name, err)
				w.File(filepath.Join("driver", name+".log"), log)
			}
		}
	}
}

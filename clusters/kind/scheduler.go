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
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// schedulerFile is the path of the scheduler's configuration on its node.
const schedulerFile = "/etc/dratest/scheduler.yaml"

// tuneScheduler gives the scheduler a configuration file, the only way to set arguments of plugins, and annotates its
// pod with the settings.
func (s parts) tuneScheduler(c clusters.Config, out *v1alpha4.Cluster) error {
	if !c.TakesSchedulerConfig() {
		return nil
	}
	folder, err := filepath.Abs(s.store.folder(c.Name))
	if err != nil {
		return fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	path := filepath.Join(folder, "scheduler.yaml")
	config, err := yaml.Marshal(clusters.SchedulerConfig("/etc/kubernetes/scheduler.conf"))
	if err == nil {
		err = os.WriteFile(path, config, 0o644)
	}
	if err != nil {
		return fmt.Errorf("create cluster %q: write the scheduler's configuration: %w", c.Name, err)
	}
	patch, err := yaml.Marshal(schedulerPatch())
	if err != nil {
		return fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	out.KubeadmConfigPatches = append(out.KubeadmConfigPatches, string(patch))
	for i := range out.Nodes {
		if out.Nodes[i].Role == v1alpha4.ControlPlaneRole {
			out.Nodes[i].ExtraMounts = append(out.Nodes[i].ExtraMounts, v1alpha4.Mount{
				HostPath: path, ContainerPath: schedulerFile, Readonly: true,
			})
		}
	}
	return nil
}

func schedulerPatch() object {
	return object{"kind": "ClusterConfiguration", "scheduler": object{
		"extraArgs": object{"config": schedulerFile},
		"extraEnvs": []object{
			{"name": spec.EnvBindingTimeout, "value": clusters.BindingTimeout.String()},
			{"name": spec.EnvDefaultsProfile, "value": clusters.DefaultsProfile},
		},
		"extraVolumes": []object{{
			"name": "dratest-config", "hostPath": schedulerFile, "mountPath": schedulerFile, "readOnly": true, "pathType": "File",
		}},
	}}
}

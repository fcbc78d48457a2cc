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

package images

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/layer"
)

const schedulerProgram = "dra-scheduler"

// Paths in the scheduler's image and pod.
const (
	schedulerConfig     = "etc/dra-scheduler/config.yaml"
	schedulerKubeconfig = "/etc/kubernetes/scheduler.conf"
	// schedulerPlugin is the plugin's name in the configuration.
	schedulerPlugin = "DRA"
)

// Scheduler builds the image of dra-scheduler including its configuration, so the image name changes with either.
// Errors: clusters.ErrUnknownVersion if dra-scheduler is of another Kubernetes version, before anything is built;
// clusters.ErrEnvironment; of the build, or of ctx.
func (l Local) Scheduler(ctx context.Context, version string) (clusters.ComponentImage, error) {
	p, err := l.findOwn(schedulerProgram, version)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	path, key, err := p.build(ctx)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	config, err := p.source.File("config.yaml")
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	if config, err = forCluster(config, schedulerKubeconfig); err != nil {
		return clusters.ComponentImage{}, fmt.Errorf("read the configuration of dra-scheduler: %w", err)
	}
	image, err := p.image([]layer.Entry{
		{Path: "usr/local/bin/dra-scheduler", Mode: 0o755, File: path, Key: key},
		// Under the stock name: clients use their program's name as user agent and thereby in managed fields.
		{Path: "usr/local/bin/kube-scheduler", Link: "dra-scheduler"},
		{Path: schedulerConfig, Data: config},
	})
	image.Args = []string{"--config=/" + schedulerConfig}
	return image, err
}

// forCluster adapts dra-scheduler's shipped configuration to dratest's clusters: the kubeconfig (the scheduler
// ignores the flag with a configuration file), the plugin's binding timeout as for the stock scheduler, and a second
// profile with nothing set.
func forCluster(config []byte, kubeconfig string) ([]byte, error) {
	var tree map[string]any
	if err := yaml.UnmarshalStrict(config, &tree); err != nil {
		return nil, err
	}
	if err := unstructured.SetNestedField(tree, kubeconfig, "clientConnection", "kubeconfig"); err != nil {
		return nil, err
	}
	profiles, _, err := unstructured.NestedSlice(tree, "profiles")
	if err != nil {
		return nil, err
	}
	var defaults map[string]any
	if len(profiles) > 0 {
		first, ok := profiles[0].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("its first profile is no object: %v", profiles[0])
		}
		defaults = runtime.DeepCopyJSON(first)
		defaults["schedulerName"] = clusters.DefaultsProfile
		delete(defaults, "pluginConfig")
	}
	for _, profile := range profiles {
		profile, _ := profile.(map[string]any)
		plugins, _, err := unstructured.NestedSlice(profile, "pluginConfig")
		if err != nil {
			return nil, err
		}
		for _, plugin := range plugins {
			plugin, _ := plugin.(map[string]any)
			if plugin["name"] != schedulerPlugin {
				continue
			}
			if err := unstructured.SetNestedField(plugin, clusters.BindingTimeout.String(), "args", "bindingTimeout"); err != nil {
				return nil, err
			}
		}
		if plugins == nil {
			continue
		}
		if err := unstructured.SetNestedSlice(profile, plugins, "pluginConfig"); err != nil {
			return nil, err
		}
	}
	if defaults != nil {
		if err := unstructured.SetNestedSlice(tree, append(profiles, defaults), "profiles"); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(tree)
}

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

package clusters

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// TakesSchedulerConfig reports whether the stock scheduler accepts a file with a binding timeout. Versions with the
// feature off by default reject it, and with a file the scheduler ignores some of its arguments.
func (c Config) TakesSchedulerConfig() bool {
	if c.PlainScheduler || !c.atLeast136() {
		return false
	}
	for _, gate := range []string{"AllBeta", string(spec.BindingConditions), string(spec.DeviceStatus)} {
		if on, set := c.FeatureGates[gate]; set && !on {
			return false
		}
	}
	for name := range c.ComponentArgs["scheduler"] {
		switch strings.TrimLeft(name, "-") {
		case "config", "kubeconfig", "kube-api-qps", "kube-api-burst", "kube-api-content-type", "profiling", "contention-profiling", "feature-gates":
			return false
		}
	}
	return true
}

// atLeast136 is false for images of unknown version. Without image and version it is the newest known one.
func (c Config) atLeast136() bool {
	if c.Version == "" {
		return c.Image == ""
	}
	v, err := version.ParseGeneric(c.Version)
	return err == nil && v.AtLeast(version.MustParseGeneric("1.36"))
}

// SchedulerConfig returns a configuration file for the stock scheduler with BindingTimeout, except for pods of
// DefaultsProfile. The file also names the kubeconfig. The caller may add to it.
func SchedulerConfig(kubeconfig string) map[string]any {
	const api = "kubescheduler.config.k8s.io/v1"
	return map[string]any{
		"apiVersion": api, "kind": "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"kubeconfig": kubeconfig},
		"profiles": []map[string]any{{"schedulerName": "default-scheduler", "pluginConfig": []map[string]any{{
			"name": "DynamicResources",
			"args": map[string]any{"apiVersion": api, "kind": "DynamicResourcesArgs", "bindingTimeout": BindingTimeout.String()},
		}}}, {"schedulerName": DefaultsProfile}},
	}
}

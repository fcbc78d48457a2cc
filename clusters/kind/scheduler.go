package kind

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// schedulerFile is where the scheduler's configuration lies on its node.
const schedulerFile = "/etc/dratest/scheduler.yaml"

// tuneScheduler gives the scheduler a configuration file, which is the only way to
// set arguments of plugins, and has its pod say what is in it.
func (s parts) tuneScheduler(c clusters.Config, out *v1alpha4.Cluster) error {
	if !tunable(c) {
		return nil
	}
	folder, err := filepath.Abs(s.store.folder(c.Name))
	if err != nil {
		return fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	path := filepath.Join(folder, "scheduler.yaml")
	config, err := yaml.Marshal(schedulerConfig())
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

// tunable is whether the scheduler takes a file with a binding timeout: versions
// that do not serve the feature by default refuse one, and next to a file the
// scheduler ignores some of its arguments.
func tunable(c clusters.Config) bool {
	if c.PlainScheduler || !atLeast136(c) {
		return false
	}
	for _, gate := range []string{"AllBeta", string(spec.BindingConditions), string(spec.DeviceStatus)} {
		if on, set := c.FeatureGates[gate]; set && !on {
			return false
		}
	}
	asked := arguments("scheduler", c.ComponentArgs)
	for _, name := range []string{
		"config", "kubeconfig", "kube-api-qps", "kube-api-burst", "kube-api-content-type", "profiling", "contention-profiling", "feature-gates",
	} {
		if _, set := asked[name]; set {
			return false
		}
	}
	return true
}

// atLeast136 is false for images whose version was not given; without image and
// version it is the newest known one.
func atLeast136(c clusters.Config) bool {
	if c.Version == "" {
		return c.Image == ""
	}
	v, err := version.ParseGeneric(c.Version)
	return err == nil && v.AtLeast(version.MustParseGeneric("1.36"))
}

func schedulerConfig() object {
	const api = "kubescheduler.config.k8s.io/v1"
	return object{
		"apiVersion": api, "kind": "KubeSchedulerConfiguration",
		"clientConnection": object{"kubeconfig": "/etc/kubernetes/scheduler.conf"},
		"profiles": []object{{"schedulerName": "default-scheduler", "pluginConfig": []object{{
			"name": "DynamicResources",
			"args": object{"apiVersion": api, "kind": "DynamicResourcesArgs", "bindingTimeout": clusters.BindingTimeout.String()},
		}}}},
	}
}

func schedulerPatch() object {
	return object{"kind": "ClusterConfiguration", "scheduler": object{
		"extraArgs": object{"config": schedulerFile},
		"extraEnvs": []object{{"name": spec.EnvBindingTimeout, "value": clusters.BindingTimeout.String()}},
		"extraVolumes": []object{{
			"name": "dratest-config", "hostPath": schedulerFile, "mountPath": schedulerFile, "readOnly": true, "pathType": "File",
		}},
	}}
}

package images

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// SchedulerRepository is the name of this project's scheduler as an image; its
// tags are the Kubernetes version and the content's key.
const SchedulerRepository = "dratest.io/dra-scheduler"

// Where things are in the scheduler's image, and in its pod.
const (
	schedulerConfig     = "etc/dra-scheduler/config.yaml"
	schedulerKubeconfig = "/etc/kubernetes/scheduler.conf"
	// schedulerPlugin is what its configuration calls the plugin.
	schedulerPlugin = "DRA"
)

// SchedulerOptions say which image to make. The zero value is for the newest
// Kubernetes version.
type SchedulerOptions struct {
	// Version of Kubernetes as versions.Lookup takes it; empty means the newest.
	Version  string
	Progress *progress.Printer
	// Cache is the cache folder; empty means the default of cache.Open.
	Cache string
	// Where to look for the scheduler's source, or for the program.
	Where own.Where
}

// Scheduler builds the image of dra-scheduler with its configuration: what runs is
// one image, whose name changes with each of the two. Errors:
// clusters.ErrUnknownVersion if dra-scheduler is of another Kubernetes version,
// before anything is built; clusters.ErrEnvironment; of the build, or of ctx.
func Scheduler(ctx context.Context, o SchedulerOptions) (clusters.ComponentImage, error) {
	version, source, err := schedulerSource(o)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	c, err := cache.Open(o.Cache)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	if o.Progress == nil {
		o.Progress = &progress.Printer{}
	}
	var program string
	err = slowly(o.Progress, "build dra-scheduler", 2*time.Minute, func() (err error) {
		program, err = source.Build(ctx, c.Path("own"))
		return err
	})
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	kept, key, err := keep(c, program)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	config, err := source.Config()
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	if config, err = forCluster(config, schedulerKubeconfig); err != nil {
		return clusters.ComponentImage{}, fmt.Errorf("read the configuration of dra-scheduler: %w", err)
	}
	return schedulerImage(version, []layer.Entry{
		{Path: "usr/local/bin/dra-scheduler", Mode: 0o755, File: kept, Key: key},
		// Under the stock name: clients put their program's name into the user agent
		// and, through it, into the managed fields of what they write.
		{Path: "usr/local/bin/kube-scheduler", Link: "dra-scheduler"},
		{Path: schedulerConfig, Data: config},
	})
}

// CanBuildScheduler returns the error that Scheduler would, as far as that can be
// said without building anything.
func CanBuildScheduler(o SchedulerOptions) error {
	_, _, err := schedulerSource(o)
	return err
}

// schedulerSource finds dra-scheduler and checks that it is of the version.
func schedulerSource(o SchedulerOptions) (versions.Version, own.Source, error) {
	version := versions.Newest()
	if o.Version != "" {
		var err error
		if version, err = versions.Lookup(o.Version); err != nil {
			return version, own.Source{}, err
		}
	}
	source, err := own.Find(own.Program{Name: "dra-scheduler", Module: "implementation", Values: modules.KubernetesValues(version)}, o.Where)
	if err != nil {
		return version, own.Source{}, err
	}
	has, err := source.Requires("k8s.io/kubernetes")
	if err == nil && has != version.Kubernetes {
		err = fmt.Errorf("%w for the own scheduler: it is of Kubernetes %s, the cluster of %s: use --scheduler=stock, or --version=%s",
			clusters.ErrUnknownVersion, has, version.Kubernetes, has)
	}
	return version, source, err
}

// forCluster adapts the configuration that is shipped with dra-scheduler to
// dratest's clusters: it names the kubeconfig, because with a configuration file the
// scheduler ignores the flag, and has the plugin wait for binding conditions as long
// as the stock scheduler does there.
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
	if profiles != nil {
		if err := unstructured.SetNestedSlice(tree, profiles, "profiles"); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(tree)
}

func schedulerImage(version versions.Version, entries []layer.Entry) (clusters.ComponentImage, error) {
	ref := SchedulerRepository + ":" + version.Kubernetes + "-" + layer.Key(entries)[:12]
	tag, err := name.NewTag(ref)
	if err != nil {
		return clusters.ComponentImage{}, fmt.Errorf("name the image of dra-scheduler: %w", err)
	}
	l, err := layer.Plain(entries)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	image, err := newImage([]v1.Layer{l}, v1.Config{Env: []string{containerPath}, Entrypoint: []string{"/usr/local/bin/kube-scheduler"}})
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	return clusters.ComponentImage{
		Ref:        ref,
		Kubernetes: version.Kubernetes,
		Args:       []string{"--config=/" + schedulerConfig},
		Archive: func(w io.Writer) error {
			if err := tarball.Write(tag, image, w); err != nil {
				return fmt.Errorf("pack image %s: %w", ref, err)
			}
			return nil
		},
	}, nil
}

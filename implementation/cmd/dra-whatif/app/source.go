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

package app

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/limit"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// source is the origin of a cluster's objects.
type source struct{ kubeconfig, context, archive string }

type world struct {
	simulation.Objects

	// gates are the feature gates of the API server, nil if unreadable; gatesUnread has the reason.
	gates       map[string]bool
	gatesUnread string
}

// notes lists the gaps of the source.
func (s *source) notes() []string {
	if s.archive == "" {
		return nil
	}
	return []string{"an archive only has pods with claims: CPU and memory used by other pods, and pods waiting for extended resources, are unknown"}
}

func (s *source) read(ctx context.Context) (world, error) {
	if s.archive != "" {
		return readArchive(s.archive)
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = s.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: s.context}).ClientConfig()
	if err != nil {
		return world{}, fmt.Errorf("read kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return world{}, fmt.Errorf("make a client: %w", err)
	}
	var w world
	if w.Objects, err = readCluster(ctx, client); err != nil {
		return w, err
	}
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		w.gatesUnread = err.Error() // needs permissions few users have
		return w, nil
	}
	w.gates = gatesIn(text)
	return w, nil
}

// readCluster lists the simulation's input.
func readCluster(ctx context.Context, client kubernetes.Interface) (objects simulation.Objects, err error) {
	list := func(what string, read func(options metav1.ListOptions) error) {
		if err != nil {
			return
		}
		if failed := read(metav1.ListOptions{}); failed != nil {
			err = fmt.Errorf("list %s: %w", what, failed)
		}
	}
	list("nodes", func(o metav1.ListOptions) error {
		l, err := client.CoreV1().Nodes().List(ctx, o)
		objects.Nodes = pointers(l.Items)
		return err
	})
	list("pods", func(o metav1.ListOptions) error {
		l, err := client.CoreV1().Pods("").List(ctx, o)
		objects.Pods = pointers(l.Items)
		return err
	})
	list("resourceclaims", func(o metav1.ListOptions) error {
		l, err := client.ResourceV1().ResourceClaims("").List(ctx, o)
		objects.Claims = pointers(l.Items)
		return err
	})
	list("resourceslices", func(o metav1.ListOptions) error {
		l, err := client.ResourceV1().ResourceSlices().List(ctx, o)
		objects.Slices = pointers(l.Items)
		return err
	})
	list("deviceclasses", func(o metav1.ListOptions) error {
		l, err := client.ResourceV1().DeviceClasses().List(ctx, o)
		objects.Classes = pointers(l.Items)
		return err
	})
	list("devicetaintrules", func(o metav1.ListOptions) error {
		l, err := client.ResourceV1().DeviceTaintRules().List(ctx, o)
		if apierrors.IsNotFound(err) {
			return nil // The cluster does not serve them.
		}
		objects.TaintRules = pointers(l.Items)
		return err
	})
	return objects, err
}

func pointers[T any](items []T) []*T {
	all := make([]*T, 0, len(items))
	for i := range items {
		all = append(all, &items[i])
	}
	return all
}

// readArchive reads the output of "dratest gather".
func readArchive(name string) (world, error) {
	var objects world
	files, err := archived(name)
	if err != nil {
		return objects, fmt.Errorf("read archive %s: %w", name, err)
	}
	err = errors.Join(
		decode(files, "nodes", "v1", true, &objects.Nodes),
		decode(files, "pods", "v1", true, &objects.Pods),
		decode(files, "resourceclaims", "resource.k8s.io/v1", true, &objects.Claims),
		decode(files, "resourceslices", "resource.k8s.io/v1", true, &objects.Slices),
		decode(files, "deviceclasses", "resource.k8s.io/v1", true, &objects.Classes),
		decode(files, "devicetaintrules", "resource.k8s.io/v1", false, &objects.TaintRules),
	)
	if err != nil {
		return objects, fmt.Errorf("read archive %s: %w", name, err)
	}
	if objects.gates = gatesIn(files[metricsFile]); objects.gates == nil {
		objects.gatesUnread = "they are not in " + metricsFile
	}
	return objects, nil
}

// Size limits of an archive, in bytes. 10,000 pods with claims take 50 MiB.
const (
	maxFile    = 512 << 20
	maxArchive = 4 << 30
)

// metricsFile has the API server's metrics in an archive.
const metricsFile = "metrics/kube-apiserver.txt"

// decode reads all objects of one kind.
func decode[T interface {
	*v1.Node | *v1.Pod | *resourceapi.ResourceClaim | *resourceapi.ResourceSlice | *resourceapi.DeviceClass | *resourceapi.DeviceTaintRule
	GetObjectKind() schema.ObjectKind
}](files map[string][]byte, kind, version string, required bool, into *[]T) error {
	content, ok := files["objects/"+kind+".yaml"]
	if !ok {
		if required {
			return fmt.Errorf("objects/%s.yaml is missing: is this output of dratest gather?", kind)
		}
		return nil
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		return fmt.Errorf("parse objects/%s.yaml: %w", kind, err)
	}
	for i, object := range *into {
		if object == nil {
			return fmt.Errorf("objects/%s.yaml[%d] is empty", kind, i)
		}
		if got := object.GetObjectKind().GroupVersionKind().GroupVersion().String(); got != version && got != "" {
			return fmt.Errorf("objects/%s.yaml has version %s, only %s is supported", kind, got, version)
		}
	}
	return nil
}

// archived returns the objects and metrics of a directory or compressed archive, by their path below its
// top.
func archived(name string) (map[string][]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	if info.IsDir() {
		names, err := filepath.Glob(filepath.Join(name, "objects", "*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, n := range append(names, filepath.Join(name, metricsFile)) {
			content, err := limit.ReadFile(n, maxFile)
			if errors.Is(err, fs.ErrNotExist) && filepath.Base(n) == filepath.Base(metricsFile) {
				continue // The archive's author may not have been allowed to see it.
			}
			if err != nil {
				return nil, err
			}
			files[filepath.Base(filepath.Dir(n))+"/"+filepath.Base(n)] = content
		}
		return files, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	for tape := tar.NewReader(limit.Reader(unzipped, maxArchive)); ; {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		// Archives have a top directory with their own name.
		i := strings.Index("/"+header.Name, "/objects/")
		if i < 0 || !strings.HasSuffix(header.Name, ".yaml") {
			if i = strings.Index("/"+header.Name, "/"+metricsFile); i < 0 {
				continue
			}
		}
		if _, twice := files[header.Name[i:]]; twice {
			return nil, fmt.Errorf("unpack %s: the archive contains it twice", header.Name)
		}
		content, err := limit.ReadAll(tape, maxFile)
		if err != nil {
			return nil, fmt.Errorf("unpack %s: %w", header.Name, err)
		}
		files[header.Name[i:]] = content
	}
}

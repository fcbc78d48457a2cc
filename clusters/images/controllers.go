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
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/layer"
)

const controllersProgram = "dra-controller-manager"

// controlPlaneLabel marks the nodes with the control plane's images.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// Controllers builds the image of dra-controller-manager, with a manifest to deploy it on the control plane. Errors
// are those of Scheduler.
func (l Local) Controllers(ctx context.Context, version string) (clusters.ComponentImage, error) {
	p, err := l.findOwn(controllersProgram, version)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	path, key, err := p.build(ctx)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	manifest, err := p.source.File("manifest.yaml")
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	image, err := p.image([]layer.Entry{{Path: "usr/local/bin/" + controllersProgram, Mode: 0o755, File: path, Key: key}})
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	image.Manifest = func(args []string) ([]byte, error) { return deployment(manifest, image.Ref, args) }
	return image, nil
}

// deployment returns a manifest with its one Deployment running the image, with additional arguments, on the control
// plane, where the image is loaded.
func deployment(manifest []byte, image string, args []string) ([]byte, error) {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	var out bytes.Buffer
	found := 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var d appsv1.Deployment
		if err == nil {
			err = sigsyaml.Unmarshal(document, &d)
		}
		if err != nil {
			return nil, fmt.Errorf("read the manifest of %s: %w", controllersProgram, err)
		}
		if d.Kind == "Deployment" {
			found++
			if document, err = onControlPlane(d, image, args); err != nil {
				return nil, err
			}
		}
		out.WriteString("---\n")
		out.Write(document)
	}
	if found != 1 {
		return nil, fmt.Errorf("the manifest of %s has %d Deployments instead of one", controllersProgram, found)
	}
	return out.Bytes(), nil
}

func onControlPlane(d appsv1.Deployment, image string, args []string) ([]byte, error) {
	pod := &d.Spec.Template.Spec
	if len(pod.Containers) != 1 {
		return nil, fmt.Errorf("the Deployment of %s has %d containers instead of one", controllersProgram, len(pod.Containers))
	}
	c := &pod.Containers[0]
	c.Image, c.ImagePullPolicy, c.Args = image, corev1.PullNever, append(c.Args, args...)
	pod.Affinity = nil
	pod.NodeSelector = map[string]string{controlPlaneLabel: ""}
	return sigsyaml.Marshal(d)
}

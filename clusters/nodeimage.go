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
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// NodeImageSource is the source of a version's node image.
type NodeImageSource string

// Where node images come from.
const (
	// SourceAuto uses kind's published image if a registry has it and builds one otherwise.
	SourceAuto NodeImageSource = "auto"
	// SourceRegistry is kind's published image and nothing else.
	SourceRegistry NodeImageSource = "registry"
	// SourceBuild builds the image on this machine.
	SourceBuild NodeImageSource = "build"
)

// DefaultRegistry hosts kind's published node images.
const DefaultRegistry = "docker.io"

func (c Config) validateNodeImage() []error {
	var errs []error
	switch c.NodeImageSource {
	case "", SourceAuto, SourceRegistry, SourceBuild:
	default:
		errs = append(errs, fmt.Errorf("nodeImageSource: %q: must be auto, registry or build", c.NodeImageSource))
	}
	if strings.HasPrefix(c.Image, "-") {
		errs = append(errs, fmt.Errorf("image: %q is not the name of an image", c.Image)) // but a flag of the engine's client
	}
	if c.Image != "" && c.NodeImageSource != "" {
		errs = append(errs, fmt.Errorf("nodeImageSource: says nothing beside image %q: give one of them", c.Image))
	}
	if c.NodeImageRegistry == "" {
		return errs
	}
	if c.NodeImageSource == SourceBuild {
		errs = append(errs, fmt.Errorf("nodeImageRegistry: %q is not asked for an image that is built", c.NodeImageRegistry))
	}
	_, err := name.NewRepository(c.NodeImageRegistry + "/kindest/node")
	if err == nil && strings.Contains(c.NodeImageRegistry, "://") {
		err = errors.New("leave the protocol out")
	}
	if strings.HasPrefix(c.NodeImageRegistry, "-") {
		err = errors.New("it begins with a hyphen")
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("nodeImageRegistry: %q is not like mirror.example.com:5000/docker: %w", c.NodeImageRegistry, err))
	}
	return errs
}

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

package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
)

// Engine is the client of a container engine. The zero value is docker.
type Engine struct {
	// Program is the client's name or path; empty means "docker".
	Program string
	// Patience is the timeout of Ask; zero means two minutes. An idle engine responds in well under a second, but on a
	// busy machine with two cores, removing the nodes of a cluster took more than 20 s.
	Patience time.Duration
}

// Ask is Run with a timeout, for commands that neither create nor transfer anything: a hanging engine accepts
// connections but never responds.
func (e Engine) Ask(ctx context.Context, args ...string) (string, error) {
	patience := cmp.Or(e.Patience, 2*time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("%w: the container engine has not answered within %s: try again when the machine is less busy", clusters.ErrEnvironment, patience))
	defer cancel()
	return e.Run(ctx, args...)
}

// Run runs a client command and returns its standard output. A failed command gives a *command.Error; if no engine is
// running it wraps clusters.ErrEnvironment with advice.
func (e Engine) Run(ctx context.Context, args ...string) (string, error) {
	return e.Feed(ctx, nil, args...)
}

// Feed is Run with a standard input.
func (e Engine) Feed(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	program := e.Program
	if program == "" {
		program = "docker"
	}
	out, err := command.Run(ctx, command.Cmd{Args: append([]string{program}, args...), Stdin: stdin})
	if command.NotFound(err) {
		return "", fmt.Errorf("%w: no container engine: %w (run \"dratest doctor\")", clusters.ErrEnvironment, err)
	}
	var failed *command.Error
	if errors.As(err, &failed) && (strings.Contains(failed.Output, "Cannot connect to the Docker daemon") ||
		strings.Contains(failed.Output, "permission denied while trying to connect")) {
		return "", fmt.Errorf("%w: the container engine does not answer: %w (run \"dratest doctor\")", clusters.ErrEnvironment, err)
	}
	return out, err
}

// RootDir returns the engine's data directory, a path on the engine's machine.
func (e Engine) RootDir(ctx context.Context) (string, error) {
	return e.Ask(ctx, "info", "--format", "{{.DockerRootDir}}")
}

// Image is an image in the engine.
type Image struct {
	ID      string
	Tags    []string
	Created time.Time
	// Size is in bytes and includes layers shared with other images.
	Size   int64
	Labels map[string]string
}

// Image finds an image by name or ID; ok is false if there is none.
func (e Engine) Image(ctx context.Context, ref string) (image Image, ok bool, err error) {
	images, err := e.inspect(ctx, ref)
	var failed *command.Error
	if errors.As(err, &failed) && strings.Contains(strings.ToLower(failed.Output), "no such image") {
		return Image{}, false, nil
	}
	if err != nil || len(images) == 0 {
		return Image{}, false, err
	}
	return images[0], true, nil
}

// Images returns the images with a label (as "key" or "key=value"), by ID.
func (e Engine) Images(ctx context.Context, label string) ([]Image, error) {
	out, err := e.Ask(ctx, "image", "ls", "--quiet", "--no-trunc", "--filter", "label="+label)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(out)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	return e.inspect(ctx, ids...)
}

func (e Engine) inspect(ctx context.Context, refs ...string) ([]Image, error) {
	out, err := e.Ask(ctx, append([]string{"image", "inspect", "--"}, refs...)...)
	if err != nil {
		return nil, err
	}
	var raw []struct {
		ID       string    `json:"Id"`
		RepoTags []string  `json:"RepoTags"`
		Created  time.Time `json:"Created"`
		Size     int64     `json:"Size"`
		Config   struct {
			Labels map[string]string `json:"Labels"`
		} `json:"Config"`
	}
	if err := json.Unmarshal([]byte(out), &raw); err != nil {
		return nil, fmt.Errorf("read the engine's answer about images: %w", err)
	}
	images := make([]Image, 0, len(raw))
	for _, r := range raw {
		images = append(images, Image{ID: r.ID, Tags: r.RepoTags, Created: r.Created, Size: r.Size, Labels: r.Config.Labels})
	}
	return images, nil
}

// RemoveContainers removes the containers with a label, running or not, with
// their anonymous volumes.
func (e Engine) RemoveContainers(ctx context.Context, label string) error {
	out, err := e.Ask(ctx, "ps", "--all", "--quiet", "--filter", "label="+label)
	if err != nil || out == "" {
		return err
	}
	_, err = e.Ask(ctx, append([]string{"rm", "--force", "--volumes"}, strings.Fields(out)...)...)
	return err
}

// Registries is an engine's registry configuration.
type Registries struct {
	// Mirrors of Docker Hub, as URLs.
	Mirrors []string
	// Insecure are the registries without TLS, as host and port.
	Insecure []string
}

// Info is the engine information needed to choose a node image.
type Info struct {
	CgroupV1   bool
	Registries Registries
}

// Info asks the engine about itself.
func (e Engine) Info(ctx context.Context) (Info, error) {
	out, err := e.Ask(ctx, "info", "--format", "{{json .}}")
	if err != nil {
		return Info{}, err
	}
	var raw struct {
		CgroupVersion  string `json:"CgroupVersion"`
		RegistryConfig struct {
			Mirrors      []string `json:"Mirrors"`
			IndexConfigs map[string]struct {
				Secure bool `json:"Secure"`
			} `json:"IndexConfigs"`
		} `json:"RegistryConfig"`
	}
	if err := json.Unmarshal([]byte(out), &raw); err != nil {
		return Info{}, fmt.Errorf("read the engine's answer about itself: %w", err)
	}
	info := Info{CgroupV1: raw.CgroupVersion == "1", Registries: Registries{Mirrors: raw.RegistryConfig.Mirrors}}
	for host, config := range raw.RegistryConfig.IndexConfigs {
		if !config.Secure {
			info.Registries.Insecure = append(info.Registries.Insecure, host)
		}
	}
	slices.Sort(info.Registries.Insecure)
	return info, nil
}

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
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	client "github.com/dra-conformance/dratest/clusters/engine"
)

// clusterLabel is kind's label on the containers of a cluster.
const clusterLabel = "io.x-k8s.kind.cluster"

// networkName is the network of all kind clusters of a machine.
const networkName = "kind"

type container struct {
	ID      string
	Name    string
	Cluster string
	Running bool
	Created time.Time
}

// engine is the container engine beyond kind's own use of it.
type engine interface {
	// Nodes returns the node containers of a cluster, including stopped ones; an empty name means all clusters.
	Nodes(ctx context.Context, cluster string) ([]container, error)
	// Remove removes containers with their volumes, running or not.
	Remove(ctx context.Context, ids []string) error
	// HasNetwork reports whether kind's network exists.
	HasNetwork(ctx context.Context) (bool, error)
	// RemoveNetwork removes kind's network.
	RemoveNetwork(ctx context.Context) error
	// Machine describes the engine's machine.
	Machine(ctx context.Context) (machine, error)
}

// reviver is an engine with a restart policy.
type reviver interface {
	// Revive makes the engine restart containers whenever they exit with an error, as a restarting node does: its init
	// ends with a signal.
	Revive(ctx context.Context, ids []string) error
}

// docker is the engine of the docker client in PATH, the one used by kind.
type docker struct {
	client client.Engine
	// cgroups is the freezer of cgroup v1; empty means freezer.
	cgroups string
}

const freezer = "/sys/fs/cgroup/freezer"

func (d docker) Nodes(ctx context.Context, cluster string) ([]container, error) {
	filter := "label=" + clusterLabel
	if cluster != "" {
		filter += "=" + cluster
	}
	out, err := d.client.Ask(ctx, "ps", "--all", "--no-trunc", "--filter", filter, "--format",
		`{{.ID}}|{{.Names}}|{{.State}}|{{.CreatedAt}}|{{.Label "`+clusterLabel+`"}}`)
	if err != nil {
		return nil, err
	}
	var found []container
	for line := range strings.Lines(out) {
		c, err := parseContainer(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("list containers: %w", err)
		}
		found = append(found, c)
	}
	return found, nil
}

func parseContainer(line string) (container, error) {
	fields := strings.Split(line, "|")
	if len(fields) != 5 {
		return container{}, fmt.Errorf("the engine's answer %q has not five fields", line)
	}
	created, err := time.Parse("2006-01-02 15:04:05 -0700 MST", fields[3])
	if err != nil {
		return container{}, fmt.Errorf("the engine's answer has a strange time: %w", err)
	}
	return container{ID: fields[0], Name: fields[1], Running: fields[2] == "running", Created: created, Cluster: fields[4]}, nil
}

func (d docker) Remove(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	rm := append([]string{"rm", "--force", "--volumes"}, ids...)
	_, err := d.client.Ask(ctx, rm...)
	if err == nil || ctx.Err() != nil || !unfreeze(cmp.Or(d.cgroups, freezer), ids) {
		return err
	}
	_, err = d.client.Ask(ctx, rm...)
	return err
}

// unfreeze thaws processes in containers left frozen by a killed runc. With cgroup v1 this happens when a node is
// removed, or its kubelet dies, in the middle of a container's start. Neither frozen processes nor the node around
// them can be killed, and exec into the node hangs. It reports whether there were any.
func unfreeze(cgroups string, ids []string) (found bool) {
	_ = filepath.WalkDir(cgroups, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "freezer.state" || !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(path, id) }) {
			return nil // cgroups are volatile
		}
		if state, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(state)) == "FROZEN" {
			found = os.WriteFile(path, []byte("THAWED"), 0o644) == nil || found
		}
		return nil
	})
	return found
}

// Revive lifts kind's limit of one restart.
func (d docker) Revive(ctx context.Context, ids []string) error {
	_, err := d.client.Ask(ctx, append([]string{"update", "--restart=on-failure"}, ids...)...)
	if err != nil {
		return fmt.Errorf("have nodes started again when they restart: %w", err)
	}
	return nil
}

func (d docker) HasNetwork(ctx context.Context) (bool, error) {
	out, err := d.client.Ask(ctx, "network", "ls", "--filter", "name=^"+networkName+"$", "--format", "{{.Name}}")
	return strings.TrimSpace(out) != "", err
}

func (d docker) RemoveNetwork(ctx context.Context) error {
	_, err := d.client.Ask(ctx, "network", "rm", networkName)
	return err
}

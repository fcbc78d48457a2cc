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

	"github.com/dra-conformance/dratest/clusters"
	client "github.com/dra-conformance/dratest/clusters/engine"
)

// clusterLabel is the label that kind puts on the containers of a cluster.
const clusterLabel = "io.x-k8s.kind.cluster"

// networkName is the network that kind puts all clusters of a machine on.
const networkName = "kind"

// container is a node of some kind cluster.
type container struct {
	ID      string
	Name    string
	Cluster string
	Running bool
	Created time.Time
}

// engine is what is asked of the container engine beside kind itself.
type engine interface {
	// Nodes returns the node containers of a cluster, those that do not run
	// included; an empty name means of all clusters.
	Nodes(ctx context.Context, cluster string) ([]container, error)
	// Remove removes containers with their volumes, running or not.
	Remove(ctx context.Context, ids []string) error
	// HasNetwork tells whether kind's network exists.
	HasNetwork(ctx context.Context) (bool, error)
	// RemoveNetwork removes kind's network.
	RemoveNetwork(ctx context.Context) error
	// Machine is what the engine's machine offers.
	Machine(ctx context.Context) (machine, error)
}

// reviver is an engine that starts containers again.
type reviver interface {
	// Revive has containers started again whenever they end by themselves with an
	// error, as a node does that restarts: its init ends with a signal.
	Revive(ctx context.Context, ids []string) error
}

// docker is the engine that the docker client in PATH talks to, which is the one
// that kind uses.
type docker struct {
	client client.Engine
	// patience is how long a call may take; zero means enginePatience.
	patience time.Duration
	// cgroups is where cgroup v1 has the freezer; empty means freezer.
	cgroups string
}

const freezer = "/sys/fs/cgroup/freezer"

// enginePatience is how long the engine may take to answer. One that is idle
// answers in well under a second, but removing the nodes of a cluster has taken it
// more than 20 s on a machine of two processors that was compiling.
const enginePatience = 2 * time.Minute

// run runs a client command that is no creation, and says what to do if the engine
// does not answer.
func (d docker) run(ctx context.Context, args ...string) (string, error) {
	patience := cmp.Or(d.patience, enginePatience)
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("%w: the container engine has not answered within %s: try again when the machine has less to do", clusters.ErrEnvironment, patience))
	defer cancel()
	return d.client.Run(ctx, args...)
}

func (d docker) Nodes(ctx context.Context, cluster string) ([]container, error) {
	filter := "label=" + clusterLabel
	if cluster != "" {
		filter += "=" + cluster
	}
	out, err := d.run(ctx, "ps", "--all", "--no-trunc", "--filter", filter, "--format",
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

// parseContainer reads one line of the format that Nodes asks for.
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
	_, err := d.run(ctx, rm...)
	if err == nil || ctx.Err() != nil || !unfreeze(cmp.Or(d.cgroups, freezer), ids) {
		return err
	}
	_, err = d.run(ctx, rm...)
	return err
}

// unfreeze lets processes in containers go on that a runc inside has frozen and was then
// killed, as happens with cgroup v1 when a node is removed, or its kubelet dies, in the
// middle of a container's start: frozen processes cannot be killed, nor can the node
// around them, into which no command gets any more. It says whether there were any.
func unfreeze(cgroups string, ids []string) (found bool) {
	_ = filepath.WalkDir(cgroups, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "freezer.state" || !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(path, id) }) {
			return nil // cgroups come and go
		}
		if state, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(state)) == "FROZEN" {
			found = os.WriteFile(path, []byte("THAWED"), 0o644) == nil || found
		}
		return nil
	})
	return found
}

// Revive lifts the limit of one restart that kind gives its nodes.
func (d docker) Revive(ctx context.Context, ids []string) error {
	_, err := d.run(ctx, append([]string{"update", "--restart=on-failure"}, ids...)...)
	if err != nil {
		return fmt.Errorf("have nodes started again when they restart: %w", err)
	}
	return nil
}

func (d docker) HasNetwork(ctx context.Context) (bool, error) {
	out, err := d.run(ctx, "network", "ls", "--filter", "name=^"+networkName+"$", "--format", "{{.Name}}")
	return strings.TrimSpace(out) != "", err
}

func (d docker) RemoveNetwork(ctx context.Context) error {
	_, err := d.run(ctx, "network", "rm", networkName)
	return err
}

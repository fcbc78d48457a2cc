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
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/constants"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/exec"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
)

type fakeEngine struct {
	mutex      sync.Mutex
	containers []container
	network    bool
	down       error
	stuck      bool          // containers cannot be removed
	slow       time.Duration // for each call about containers
	revived    []string
}

// answer takes as long as the engine, unless ctx ends first.
func (e *fakeEngine) answer(ctx context.Context) error {
	if e.slow == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(e.slow):
		return nil
	}
}

func (e *fakeEngine) Nodes(ctx context.Context, name string) ([]container, error) {
	if err := e.answer(ctx); err != nil {
		return nil, err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	var found []container
	for _, c := range e.containers {
		if name == "" || c.Cluster == name {
			found = append(found, c)
		}
	}
	return found, e.down
}

func (e *fakeEngine) Remove(ctx context.Context, ids []string) error {
	if err := e.answer(ctx); err != nil {
		return err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.stuck {
		return fmt.Errorf("device or resource busy")
	}
	e.containers = slices.DeleteFunc(e.containers, func(c container) bool { return slices.Contains(ids, c.ID) })
	return ctx.Err()
}

func (e *fakeEngine) Revive(_ context.Context, ids []string) error {
	e.revived = append(e.revived, ids...)
	return e.down
}

func (e *fakeEngine) HasNetwork(context.Context) (bool, error) { return e.network, e.down }

func (e *fakeEngine) RemoveNetwork(context.Context) error {
	e.network = false
	return nil
}

func (e *fakeEngine) Machine(context.Context) (machine, error) { return machine{}, e.down }

func (e *fakeEngine) add(clusterName string, running bool, created time.Time, ids ...string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, id := range ids {
		e.containers = append(e.containers, container{ID: id, Name: id, Cluster: clusterName, Running: running, Created: created})
	}
}

// names are the IDs of all containers.
func (e *fakeEngine) names() []string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return ids(e.containers)
}

// fakeMaker replaces kind; create implements its Create.
type fakeMaker struct {
	create  func(name string) error
	deleted []string
}

func (m *fakeMaker) Create(name string, _ ...cluster.CreateOption) error { return m.create(name) }
func (m *fakeMaker) ListNodes(string) ([]nodes.Node, error)              { return nil, nil }
func (m *fakeMaker) CollectLogs(string, string) error                    { return nil }
func (m *fakeMaker) ExportKubeConfig(string, string, bool) error         { return nil }
func (m *fakeMaker) Delete(name, kubeconfig string) error {
	m.deleted = append(m.deleted, name+" from "+kubeconfig)
	return nil
}

// fakeImages has a node image and none of this project's components.
type fakeImages struct{}

func (fakeImages) NodeImage(context.Context, clusters.Config) (string, error) { return "node:v1", nil }
func (fakeImages) Scheduler(context.Context, string) (clusters.ComponentImage, error) {
	return clusters.ComponentImage{}, clusters.ErrEnvironment
}
func (fakeImages) Controllers(context.Context, string) (clusters.ComponentImage, error) {
	return clusters.ComponentImage{}, clusters.ErrEnvironment
}
func (fakeImages) Kubelet(context.Context, string) (clusters.ComponentBinary, error) {
	return clusters.ComponentBinary{}, clusters.ErrEnvironment
}

// setup returns a provider with an empty directory, its engine, kind, and its output.
func setup(t *testing.T) (*Provider, *fakeEngine, *fakeMaker, *bytes.Buffer) {
	t.Helper()
	e, m, said := &fakeEngine{}, &fakeMaker{}, &bytes.Buffer{}
	p := &Provider{
		Images:   fakeImages{},
		Progress: progress.New(said),
		State:    t.TempDir() + "/clusters",
		engine:   e,
		maker:    m,
	}
	return p, e, m, said
}

func remember(t *testing.T, p *Provider, r record) {
	t.Helper()
	if err := (store{p.State}).save(r); err != nil {
		t.Fatal(err)
	}
}

// oneNode is a cluster with one node; run executes its commands.
type oneNode struct {
	node interface {
		run(args []string, input string) (string, error)
	}
}

func (o oneNode) Create(string, ...cluster.CreateOption) error { return nil }
func (o oneNode) ListNodes(string) ([]nodes.Node, error)       { return []nodes.Node{o}, nil }
func (o oneNode) CollectLogs(string, string) error             { return nil }
func (o oneNode) ExportKubeConfig(string, string, bool) error  { return nil }
func (o oneNode) Delete(string, string) error                  { return nil }
func (o oneNode) String() string                               { return "x-control-plane" }
func (o oneNode) Role() (string, error)                        { return constants.ControlPlaneNodeRoleValue, nil }
func (o oneNode) IP() (ipv4, ipv6 string, err error)           { return "", "", nil }
func (o oneNode) SerialLogs(io.Writer) error                   { return nil }
func (o oneNode) Command(name string, args ...string) exec.Cmd {
	return o.CommandContext(context.Background(), name, args...)
}
func (o oneNode) CommandContext(ctx context.Context, name string, args ...string) exec.Cmd {
	return &fakeCmd{ctx: ctx, node: o, args: append([]string{name}, args...)}
}

type fakeCmd struct {
	ctx   context.Context
	node  oneNode
	args  []string
	input io.Reader
	out   io.Writer
}

func (c *fakeCmd) SetEnv(...string) exec.Cmd      { return c }
func (c *fakeCmd) SetStdin(r io.Reader) exec.Cmd  { c.input = r; return c }
func (c *fakeCmd) SetStdout(w io.Writer) exec.Cmd { c.out = w; return c }
func (c *fakeCmd) SetStderr(io.Writer) exec.Cmd   { return c }
func (c *fakeCmd) Run() error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	var input []byte
	if c.input != nil {
		input, _ = io.ReadAll(c.input)
	}
	out, err := c.node.node.run(c.args, string(input))
	_, _ = io.WriteString(c.out, out)
	return err
}

package kind

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/dra-conformance/dratest/clusters/progress"
)

// fakeEngine is an engine in memory.
type fakeEngine struct {
	mutex      sync.Mutex
	containers []container
	network    bool
	down       error
	stuck      bool          // containers cannot be removed
	slow       time.Duration // for each call about containers
}

// answer takes as long as the engine does, unless the caller gives up.
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

// fakeMaker stands for kind; create is what its Create does.
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

// setup is a provider with an empty folder, its engine, kind, and what it says.
func setup(t *testing.T) (*Provider, *fakeEngine, *fakeMaker, *bytes.Buffer) {
	t.Helper()
	e, m, said := &fakeEngine{}, &fakeMaker{}, &bytes.Buffer{}
	p := &Provider{
		Image:    func(context.Context, string) (string, error) { return "node:v1", nil },
		Progress: progress.New(said),
		State:    t.TempDir() + "/clusters",
		engine:   e,
		maker:    m,
	}
	return p, e, m, said
}

// remember saves a record of a cluster.
func remember(t *testing.T, p *Provider, r record) {
	t.Helper()
	if err := (store{p.State}).save(r); err != nil {
		t.Fatal(err)
	}
}

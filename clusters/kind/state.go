package kind

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"
)

// record is what is remembered about one cluster, in cluster.json of its folder.
// It is written before the first container is made, so that whatever a killed
// process leaves behind can be recognised.
type record struct {
	Name    string    `json:"name"`
	Version string    `json:"version,omitempty"`
	Image   string    `json:"image"`
	Created time.Time `json:"created"`
	// Containers are the IDs of the nodes; empty until the cluster is ready.
	Containers []string `json:"containers,omitempty"`
	// Temporary: it belongs to the process that made it, which holds its lock.
	Temporary bool `json:"temporary,omitempty"`
	// Kept is why the creation failed of a cluster that was kept for a look.
	Kept string `json:"kept,omitempty"`
	// Exported are the kubeconfig files that a context was added to on request.
	Exported []string `json:"exported,omitempty"`
}

// complete tells whether the cluster's creation came to its end.
func (r record) complete() bool { return len(r.Containers) > 0 }

// owns tells whether a container with the cluster's label belongs to this
// cluster and not to one that somebody made with kind under the same name.
func (r record) owns(c container) bool {
	if r.complete() {
		return slices.Contains(r.Containers, c.ID)
	}
	return !c.Created.Before(r.Created.Truncate(time.Second)) // engines report whole seconds
}

// split parts the containers with a cluster's label into its own and foreign ones.
func (r record) split(all []container) (own, foreign []container) {
	for _, c := range all {
		if r.owns(c) {
			own = append(own, c)
		} else {
			foreign = append(foreign, c)
		}
	}
	return own, foreign
}

// store is the folder with one folder per cluster.
type store struct{ dir string }

func (s store) folder(name string) string     { return filepath.Join(s.dir, name) }
func (s store) kubeconfig(name string) string { return filepath.Join(s.dir, name, "kubeconfig") }
func (s store) file(name string) string       { return filepath.Join(s.dir, name, "cluster.json") }

// load returns the record of a cluster; ok is false if there is none.
func (s store) load(name string) (r record, ok bool, err error) {
	data, err := os.ReadFile(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, fmt.Errorf("read what is known about cluster %q: %w", name, err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, false, fmt.Errorf("read what is known about cluster %q: %s: %w", name, s.file(name), err)
	}
	return r, true, nil
}

// mustLoad is load for callers that cannot do without the cluster.
func (s store) mustLoad(name string) (record, error) {
	r, ok, err := s.load(name)
	if err == nil && !ok {
		err = fmt.Errorf("no cluster %q was made by dratest (see \"dratest cluster list\")", name)
	}
	return r, err
}

// save replaces the record in one step: a cut never leaves half of it.
func (s store) save(r record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("remember cluster %q: %w", r.Name, err)
	}
	if err := os.MkdirAll(s.folder(r.Name), 0o700); err != nil {
		return fmt.Errorf("remember cluster %q: %w", r.Name, err)
	}
	if err := renameio.WriteFile(s.file(r.Name), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember cluster %q: %w", r.Name, err)
	}
	return nil
}

// forget removes the record; the folder goes when its lock is released.
func (s store) forget(name string) error {
	if err := os.Remove(s.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget cluster %q: %w", name, err)
	}
	return nil
}

// all returns the records of all clusters, by name.
func (s store) all() ([]record, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	var records []record
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, ok, err := s.load(e.Name())
		if err != nil {
			return nil, err
		}
		if ok {
			records = append(records, r)
		}
	}
	return records, nil
}

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
	"slices"
	"time"

	"github.com/dra-conformance/dratest/clusters/state"
)

// record is the stored state of a cluster, in cluster.json of its directory. It is written before the first container
// is made, so leftovers of a killed process can be recognized.
type record struct {
	Name    string    `json:"name"`
	Version string    `json:"version,omitempty"`
	Image   string    `json:"image"`
	Created time.Time `json:"created"`
	// Containers are the IDs of the nodes; empty until the cluster is ready.
	Containers []string `json:"containers,omitempty"`
	// Temporary clusters belong to the process holding their lock.
	Temporary bool `json:"temporary,omitempty"`
	// Kept is the creation error of a cluster kept for debugging.
	Kept string `json:"kept,omitempty"`
	// Exported are the kubeconfig files with an exported context.
	Exported []string `json:"exported,omitempty"`
}

// complete reports whether the cluster's creation finished.
func (r record) complete() bool { return len(r.Containers) > 0 }

// owns reports whether a container with the cluster's label belongs to this cluster and not to a foreign kind cluster
// of the same name.
func (r record) owns(c container) bool {
	if r.complete() {
		return slices.Contains(r.Containers, c.ID)
	}
	return !c.Created.Before(r.Created.Truncate(time.Second)) // engines report whole seconds
}

// split separates the cluster's own containers from foreign ones.
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

// store is the directory with one directory per cluster.
type store struct{ dir string }

func (s store) records() state.Store[record] { return state.Store[record]{Dir: s.dir} }

func (s store) folder(name string) string              { return s.records().Folder(name) }
func (s store) kubeconfig(name string) string          { return s.records().Kubeconfig(name) }
func (s store) load(name string) (record, bool, error) { return s.records().Load(name) }
func (s store) mustLoad(name string) (record, error)   { return s.records().MustLoad(name) }
func (s store) save(r record) error                    { return s.records().Save(r.Name, r) }
func (s store) forget(name string) error               { return s.records().Forget(name) }
func (s store) all() ([]record, error)                 { return s.records().All() }
func (s store) lock(name string) (func(), error)       { return s.records().Lock(name) }

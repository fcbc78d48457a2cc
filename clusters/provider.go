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
	"context"
	"errors"
	"time"
)

// Provider makes, finds and removes clusters. Implementations are kind,
// controlplane and existing; all methods report what is wrong with what to do about it.
type Provider interface {
	// Name is what reports call the provider, as "kind".
	Name() string
	// Create brings a cluster up that is ready for cases, or fails and leaves
	// nothing behind unless Config.Keep is set. Errors: ErrExists,
	// ErrUnknownVersion, ErrEnvironment, or of ctx.
	Create(ctx context.Context, c Config) (Cluster, error)
	// List returns the clusters that this provider made, by name.
	List(ctx context.Context) ([]Cluster, error)
	// Logs writes the logs of all nodes and components of a cluster into dir.
	Logs(ctx context.Context, name, dir string) error
	// Delete removes a cluster that this provider made and everything that
	// belongs to it; a cluster that does not exist is no error.
	Delete(ctx context.Context, name string) error
}

// Switcher is a Provider that can replace components of a running cluster.
type Switcher interface {
	// Switch gives a running cluster the components of a stack; those that the
	// stack leaves empty stay as they are. When it is interrupted each component is
	// either the old or the new one. Errors: ErrEnvironment, ErrUnknownVersion, or
	// of ctx.
	Switch(ctx context.Context, name string, to Stack) ([]Switched, error)
}

// Switched says what has become of one component.
type Switched struct {
	Component string `json:"component"`
	Node      string `json:"node"`
	// From and To are images.
	From string `json:"from"`
	To   string `json:"to"`
	// Downtime is how long, at most, neither did its work; zero where the new one was
	// there already.
	Downtime time.Duration `json:"downtime"`
}

// Cluster is a cluster that can be talked to.
type Cluster struct {
	Name string `json:"name"`
	// Provider is the name of the one that made it; empty for a cluster that was
	// there already.
	Provider string `json:"provider,omitempty"`
	// Kubeconfig is the path of a kubeconfig whose current context is this
	// cluster.
	Kubeconfig string    `json:"kubeconfig"`
	Version    string    `json:"version,omitempty"`
	Nodes      int       `json:"nodes,omitempty"`
	Created    time.Time `json:"created,omitzero"`
	// Stack says whose components run; empty where it is not known.
	Stack Stack `json:"stack,omitzero"`
	// BindingTimeout is how long the scheduler waits for binding conditions; 0 where that
	// is not known.
	BindingTimeout time.Duration `json:"bindingTimeout,omitzero"`
	// DefaultsProfile is the name of the scheduler's profile in which nothing is set; empty
	// where none is known.
	DefaultsProfile string `json:"defaultsProfile,omitempty"`

	Status Status `json:"status,omitempty"`
}

// Status says what has become of a cluster.
type Status string

// What can have become of a cluster.
const (
	Running Status = "Running"
	// Creating: a process is at work on it.
	Creating Status = "Creating"
	// Stopped: none of its nodes runs, as after the engine was killed.
	Stopped Status = "Stopped"
	// Broken: its creation failed or was interrupted, or some of its nodes do
	// not run.
	Broken Status = "Broken"
	// Abandoned: it was made for a process that is gone.
	Abandoned Status = "Abandoned"
)

var (
	// ErrExists: a cluster of that name is there already.
	ErrExists = errors.New("cluster exists")
	// ErrUnknownVersion: no image can be built or found for the version.
	ErrUnknownVersion = errors.New("unknown Kubernetes version")
	// ErrEnvironment: the machine or the cluster cannot do what is needed.
	ErrEnvironment = errors.New("environment")
)

// UsageError is an error that the user fixes by asking for something else.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap is the problem.
func (e UsageError) Unwrap() error { return e.Err }

// Usage marks an error as a UsageError; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

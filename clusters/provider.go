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

// Provider creates, lists and deletes clusters. Errors of all methods include a fix.
type Provider interface {
	// Name is the provider's name in reports, as "kind".
	Name() string
	// Create creates a cluster ready for cases. On failure it leaves nothing behind unless Config.Keep is
	// set. Errors: ErrExists, ErrUnknownVersion, ErrEnvironment, or of ctx.
	Create(ctx context.Context, c Config) (Cluster, error)
	// List returns the clusters made by this provider, by name.
	List(ctx context.Context) ([]Cluster, error)
	// Logs writes the logs of all nodes and components of a cluster into dir.
	Logs(ctx context.Context, name, dir string) error
	// Delete removes a cluster made by this provider and everything belonging to it. A missing cluster is no error.
	Delete(ctx context.Context, name string) error
}

// Switcher is a Provider able to replace components of a running cluster.
type Switcher interface {
	// Switch replaces the components of a running cluster by those of a stack; empty fields of the stack stay unchanged.
	// If interrupted, each component is either the old or the new one. Errors: ErrEnvironment, ErrUnknownVersion, or of
	// ctx.
	Switch(ctx context.Context, name string, to Stack) ([]Switched, error)
}

// Switched is the result of switching one component.
type Switched struct {
	Component string `json:"component"`
	Node      string `json:"node"`
	// From and To are images.
	From string `json:"from"`
	To   string `json:"to"`
	// Downtime is the maximum time without either implementation at work; zero if the new one ran already.
	Downtime time.Duration `json:"downtime"`
}

// Cluster is a reachable cluster.
type Cluster struct {
	Name string `json:"name"`
	// Provider is the name of the provider; empty for an existing cluster.
	Provider string `json:"provider,omitempty"`
	// Kubeconfig is the path of a kubeconfig; its current context is this cluster.
	Kubeconfig string    `json:"kubeconfig"`
	Version    string    `json:"version,omitempty"`
	Nodes      int       `json:"nodes,omitempty"`
	Created    time.Time `json:"created,omitzero"`
	// Stack is the running implementation of each component; empty if unknown.
	Stack Stack `json:"stack,omitzero"`
	// BindingTimeout is how long the scheduler waits for binding conditions; 0 if unknown.
	BindingTimeout time.Duration `json:"bindingTimeout,omitzero"`
	// DefaultsProfile is the name of the scheduler profile with nothing set; empty if unknown.
	DefaultsProfile string `json:"defaultsProfile,omitempty"`

	Status Status `json:"status,omitempty"`
}

// Status is the state of a cluster.
type Status string

// Cluster states.
const (
	Running Status = "Running"
	// Creating: a process is at work on it.
	Creating Status = "Creating"
	// Stopped: none of its nodes runs, for example after the engine was killed.
	Stopped Status = "Stopped"
	// Broken: its creation failed or was interrupted, or some nodes are not running.
	Broken Status = "Broken"
	// Abandoned means the process that created it is gone.
	Abandoned Status = "Abandoned"
)

var (
	// ErrExists means a cluster of this name exists already.
	ErrExists = errors.New("cluster exists")
	// ErrUnknownVersion: no image can be built or found for the version.
	ErrUnknownVersion = errors.New("unknown Kubernetes version")
	// ErrEnvironment: the machine or the cluster lacks a prerequisite.
	ErrEnvironment = errors.New("environment")
)

// UsageError is an error the user fixes with different input.
type UsageError struct{ Err error }

// Error implements error.
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

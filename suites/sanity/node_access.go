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

package sanity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeAccess is the node side of a driver under test.
type NodeAccess interface {
	// Dial connects to the plugin socket of the driver's newest process.
	Dial(ctx context.Context) (net.Conn, error)
	// Specs returns the files in the node's CDI directories, by path.
	Specs(ctx context.Context) (map[string][]byte, error)
	// RemoveSpec removes such a file, or ObstructSpec's replacement; a missing one is no error.
	RemoveSpec(ctx context.Context, path string) error
	// ObstructSpec prevents writing of this missing CDI file, and no other.
	ObstructSpec(ctx context.Context, path string) error
}

// Registry is a NodeAccess with access to the kubelet's registration sockets.
type Registry interface {
	// Registrations returns the sockets, newest first.
	Registrations(ctx context.Context) ([]nodefiles.Socket, error)
}

// Files is a NodeAccess able to damage the node's files.
type Files interface {
	// Damage corrupts a file, Restore restores it.
	Damage(ctx context.Context, path string) error
	Restore(ctx context.Context, path string) error
}

// Options configure a run of the checks.
type Options struct {
	// Driver and Node are the names of the driver and its node.
	Driver, Node string
	// Namespace has labels and annotations for the checks' namespace.
	Namespace spec.NamespaceMeta
	// Adapt changes the pod of claims, which never runs; nil leaves it.
	Adapt func(*corev1.Pod) (*corev1.Pod, error)
	// Client must be allowed to create namespaces, pods and claims, and to allocate claims.
	Client kubernetes.Interface
	// Class is a device class with configuration for each claim; empty for none.
	Class string
	// ValidConfig and InvalidConfig are opaque parameters accepted and rejected by the driver.
	// Without them some checks are not applicable.
	ValidConfig, InvalidConfig []json.RawMessage
	// Only has the IDs of the checks to run; none means all.
	Only []string
	// CallTimeout is the timeout of a call; zero means 10 s. A check is blocked after 15 times
	// CallTimeout plus twice PublishTimeout.
	CallTimeout time.Duration
	// PublishTimeout is the timeout for slices, and for the socket after a restart; zero means 10
	// s. (After a restart of the kubelet the library needs 30 s.)
	PublishTimeout time.Duration
	// RepairDelay is the time a driver may take to notice that its slices are gone; zero means 30 s, as for the library.
	RepairDelay time.Duration
	// Restart restarts the driver and returns once the new process is started; its socket may
	// follow later. Without it the checks with a restart are not applicable.
	Restart func(ctx context.Context) error
	// Upgrade and Downgrade replace the driver by this version and by the previous one, and return
	// as Restart does.
	Upgrade, Downgrade func(ctx context.Context) error
	// Features are those of the driver; nil if unknown.
	Features map[spec.DriverFeature]bool
	// CheckpointPaths are the driver's checkpoint files on the node.
	CheckpointPaths []string
	// Ended is called with each check's outcome and the calls made for it; nil for no callback.
	Ended func(outcome spec.Outcome, calls []string)
}

func (o Options) withDefaults() Options {
	if o.CallTimeout == 0 {
		o.CallTimeout = 10 * time.Second
	}
	if o.PublishTimeout == 0 {
		o.PublishTimeout = 10 * time.Second
	}
	if o.RepairDelay == 0 {
		o.RepairDelay = libraryDelay
	}
	if o.Ended == nil {
		o.Ended = func(spec.Outcome, []string) {}
	}
	return o
}

// limit bounds a check in one version of the plugin API, without restarts of the driver. It is
// enough for the longest check with each call just below CallTimeout.
func (o Options) limit() time.Duration { return 15*o.CallTimeout + 2*o.PublishTimeout }

// Validate returns all problems at once.
func (o Options) Validate() error {
	var errs []error
	if o.Driver == "" {
		errs = append(errs, errors.New("the driver's name is missing"))
	}
	if o.Node == "" {
		errs = append(errs, errors.New("the node's name is missing"))
	}
	if o.Client == nil {
		errs = append(errs, errors.New("the client is missing"))
	}
	for what, configs := range map[string][]json.RawMessage{"valid": o.ValidConfig, "invalid": o.InvalidConfig} {
		for _, c := range configs {
			if err := json.Unmarshal(c, &map[string]any{}); err != nil {
				errs = append(errs, fmt.Errorf("%s configuration %s: the API takes only a JSON object: %w", what, c, err))
			}
		}
	}
	return errors.Join(errs...)
}

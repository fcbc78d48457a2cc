package sanity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/registration"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Subject is the node side of a driver under test.
type Subject interface {
	// Dial opens a connection to the driver's plugin socket, that of its newest process.
	Dial(ctx context.Context) (net.Conn, error)
	// Specs are the files in the node's CDI directories, by path.
	Specs(ctx context.Context) (map[string][]byte, error)
	// RemoveSpec removes one of these files, or what ObstructSpec has put in its place; what
	// is not there is no error.
	RemoveSpec(ctx context.Context, path string) error
	// ObstructSpec keeps one CDI file that is not there from being written, and no other.
	ObstructSpec(ctx context.Context, path string) error
}

// Registry is a Subject that shows the kubelet's registry of sockets, too.
type Registry interface {
	// Registrations are those sockets, the newest first.
	Registrations(ctx context.Context) ([]registration.Socket, error)
}

// Files is a Subject whose node's files can be damaged.
type Files interface {
	// Damage spoils a file, Restore makes it what it was.
	Damage(ctx context.Context, path string) error
	Restore(ctx context.Context, path string) error
}

// Options say which driver is checked, and with what.
type Options struct {
	// Driver and Node are the names of the driver, and of the node that it runs on.
	Driver, Node string
	// Client may make namespaces, pods and claims, and allocate these.
	Client kubernetes.Interface
	// Class is a device class whose configuration goes with each claim; empty for none.
	Class string
	// ValidConfig and InvalidConfig are opaque parameters that the driver takes, and
	// refuses. Without them fewer checks can be done.
	ValidConfig, InvalidConfig []json.RawMessage
	// Only are the IDs of the checks to do; none means all.
	Only []string
	// CallTimeout is the longest time that a call may take; zero means 10 s. A check that
	// makes so many calls that it takes 15 times this and twice PublishTimeout is blocked.
	CallTimeout time.Duration
	// PublishTimeout is the longest time for which slices may be missing, and after a
	// restart the socket; zero means 10 s. (After a restart of the kubelet the library
	// needs 30 s.)
	PublishTimeout time.Duration
	// Restart has the driver restarted, and returns when the new process has been started;
	// its socket may come later. Without it the checks that need it are not applicable.
	Restart func(ctx context.Context) error
	// Upgrade and Downgrade replace the driver by this version and by the previous one, and
	// return as Restart does.
	Upgrade, Downgrade func(ctx context.Context) error
	// CheckpointPaths are the files on the node in which the driver keeps what is prepared.
	CheckpointPaths []string
	// Ended is called with each check's outcome; nil means that nobody listens.
	Ended func(spec.Outcome)
}

func (o Options) withDefaults() Options {
	if o.CallTimeout == 0 {
		o.CallTimeout = 10 * time.Second
	}
	if o.PublishTimeout == 0 {
		o.PublishTimeout = 10 * time.Second
	}
	if o.Ended == nil {
		o.Ended = func(spec.Outcome) {}
	}
	return o
}

// limit bounds a check in one version of the plugin API, without the restart of the driver
// itself. A driver that uses up its time in each call of the longest check stays below it.
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

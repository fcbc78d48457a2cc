package soak

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Options say what to soak, and how.
type Options struct {
	testbed.Config

	// Fabric has the devices come from a fabric, from which a controller attaches them to
	// simulated nodes (KEP-5007), and not from drivers on the nodes, and says what becomes of
	// the pods then; empty for no fabric.
	Fabric WhenAttached
	// Classic has a driver allocate the claims itself (KEP-3063), with a scheduler that
	// negotiates with it, for simulated nodes.
	Classic bool

	// Pods is the least number of pods that come and go, AtOnce the greatest
	// number at a time, those that wait for devices included.
	Pods   int
	AtOnce int
	// Duration is the least time for which pods are made.
	Duration time.Duration
	// Faults happen one after the other, at random moments that are Every apart on
	// average; pods come and go until the last one is over.
	Faults []Fault
	Every  time.Duration
	// Patience is how long nothing may happen before pods count as stuck, and how
	// long tidying up may take.
	Patience time.Duration
	// Seed of the pods and moments; zero means one from the clock.
	Seed int64
}

// Fault is something that is done to the cluster under load.
type Fault interface {
	// Name says what is done, as "kill scheduler".
	Name() string
	// Do does it and returns when it has taken effect. An error means that it
	// could not be done.
	Do(ctx context.Context, target Target) error
}

// Killer is a Fault that finds out where what it killed really was.
type Killer interface {
	// Died counts the kills so far by where that was.
	Died() map[string]int
}

// Blinder is a Fault during which the API server answers nobody: the soak sees
// nothing then, and waits for it.
type Blinder interface {
	Blinds()
}

// Target is the cluster under load.
type Target struct {
	Client kubernetes.Interface
	// Namespace is where the pods and claims are, Driver has their devices, with
	// an instance on each of the Workers.
	Namespace string
	Driver    string
	Agents    agentapi.AgentClient
	Workers   []string
	// Cluster is the name of the cluster if it was made for the soak.
	Cluster string
	// Fabric has the devices, if there is one; then there are no Agents. On DrivenNodes
	// drivers publish what it attaches.
	Fabric      fabric.Client
	DrivenNodes []string
	// Classic is nil unless a driver allocates the claims itself; there are no Agents then.
	Classic *Classic
}

// Parts are what a soak is put together from.
type Parts struct {
	testbed.Parts

	// Repair repairs on the workers what killed kubelets leave behind and no component
	// repairs, and says what that was. It is asked again and again; nil is for soaks
	// that kill none.
	Repair func(ctx context.Context, target Target) ([]audit.Violation, error)
	// Composable finds or builds dra-composable-controller and returns its path, for soaks
	// with a fabric.
	Composable func(ctx context.Context) (path string, err error)
	// Sim is the same for dra-sim, for those whose pods are scheduled anew.
	Sim func(ctx context.Context) (path string, err error)
	// Classic finds or builds the programs of classic DRA, for soaks of that. What it returns
	// has no kubeconfig.
	Classic func(ctx context.Context) (classic.Programs, error)
}

func (o Options) withDefaults(now time.Time) Options {
	o.Config = o.Config.WithDefaults()
	if o.Seed == 0 {
		o.Seed = now.Unix()
	}
	return o
}

// simulated is whether nodes are simulated, where no pod ends by itself.
func (o Options) simulated() bool { return o.Fabric != "" || o.Classic }

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Pods < 1 {
		errs = append(errs, fmt.Errorf("pods: %d: must be at least 1", o.Pods))
	}
	if o.AtOnce < 2 || o.AtOnce > 1000 {
		errs = append(errs, fmt.Errorf("at once: %d: must be between 2 and 1000", o.AtOnce))
	}
	if o.Duration < 0 {
		errs = append(errs, fmt.Errorf("duration: %s: must not be negative", o.Duration))
	}
	if len(o.Faults) > 0 && o.Every <= 0 {
		errs = append(errs, fmt.Errorf("every: %s: must be positive", o.Every))
	}
	if o.Patience <= 0 {
		errs = append(errs, fmt.Errorf("patience: %s: must be positive", o.Patience))
	}
	if o.Fabric != "" && o.Fabric != Bind && o.Fabric != Reschedule {
		errs = append(errs, fmt.Errorf("fabric: %q: must be %s or %s", o.Fabric, Bind, Reschedule))
	}
	if o.Fabric != "" && o.Classic {
		errs = append(errs, errors.New("fabric, classic: choose one of them"))
	}
	if o.simulated() && (o.Kubeconfig != "" || o.Cluster.Provider != clusters.ProviderControlPlane || o.Cluster.Nodes < 1) {
		errs = append(errs, errors.New("fabric, classic: needs a cluster that is made for the soak, of processes with simulated nodes"))
	}
	return errors.Join(errs...)
}

package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Drivers starts and changes instances of the programmable test driver, one per
// node and driver name. It is implemented by drivers/sim/client.
type Drivers interface {
	// Start starts an instance; it returns once its sockets are in place, not
	// once the kubelet has registered it.
	Start(ctx context.Context, node string, config spec.DriverConfig) error
	// Change changes a running instance.
	Change(ctx context.Context, node, driver string, change spec.DriverChange) error
	// Status tells whether the instance is registered and what was called.
	Status(ctx context.Context, node, driver string) (spec.DriverStatus, error)
	// Stop ends an instance and removes its CDI files and sockets; an instance
	// that does not exist is no error.
	Stop(ctx context.Context, node, driver string) error
}

// Nodes reads what lies on nodes, and talks to their kubelets. It is implemented by
// drivers/sim/client.
type Nodes interface {
	// Evidence returns files by a name that says what they are ("kubelet.log",
	// "containerd.log", "cdi/etc/cdi/x.json", "dra_manager_state", which is empty where the
	// kubelet has written none yet); logs start at since. What can not be read is missing
	// and named in the error.
	Evidence(ctx context.Context, node string, since time.Time) (map[string][]byte, error)
	// KubeletLines returns the lines of the kubelet's log since then that contain a
	// text; there may be a part of them even if there is an error.
	KubeletLines(ctx context.Context, node string, since time.Time, text string) ([]byte, error)
	// RestartKubelet has the kubelet restarted, which goes on when it returns.
	RestartKubelet(ctx context.Context, node string) error
	// RestartNode has the whole node restarted, which has only begun when it returns.
	RestartNode(ctx context.Context, node string) error
	// PodResources is what the kubelet's podresources API tells of a pod.
	PodResources(ctx context.Context, node, namespace, pod string) (spec.PodResources, error)
	// CDIDevices are the fully qualified CDI names that the container runtime has for a
	// container, which goes by its ID as in "containerd://0123…".
	CDIDevices(ctx context.Context, node, container string) ([]string, error)
	// PodMemory is how many bytes of memory the cgroup of a pod allows.
	PodMemory(ctx context.Context, node, uid string) (int64, error)
}

// Env is what all cases of a process share.
type Env struct {
	Config  *rest.Config
	Plan    spec.Plan
	Drivers Drivers
	Nodes   Nodes
	// Hooks run the vendor's commands for cases with Needs.Hooks; nil where there are none.
	Hooks Hooks
	// Companions are the clients of companion programs, by name: Fabrics, WhatIf and Classic.
	Companions map[spec.Companion]any
	// Image is the image that cases' pods run: a busybox.
	Image string
	// ReportDir is where evidence goes, in one folder per case.
	ReportDir string
	// Journal is told when a case starts, comes to a step and ends; it must not block.
	Journal func(spec.Progress)
	// Timelines says of which cases a timeline is kept; empty means of none.
	Timelines spec.Timelines
	// Mutant breaks every simulated driver from the start, beneath the faults that cases inject.
	Mutant spec.MutantID
	// Strict has cases fail that see a known issue.
	Strict bool
	// Keep leaves the objects of failed cases in place.
	Keep bool

	// Connect and RemoveTimeout are for tests: other clients than those of a cluster, and a
	// shorter time for removing pods and claims.
	Connect       func(*rest.Config) (kubernetes.Interface, Objects, error)
	RemoveTimeout time.Duration
}

// nodes are those on which a case with these needs can have pods with devices, in order.
func (e *Env) nodes(needs spec.Needs) []string {
	if s := e.Plan.Target.Subject; s != nil {
		return s.ClassFor(needs.DriverFeatures).Nodes
	}
	return e.Plan.Target.NodesFor(needs)
}

// Companion returns the client of a companion program. The case is blocked if the run has none.
func (t *T) Companion(name spec.Companion) any {
	ginkgo.GinkgoHelper()
	client := t.env.Companions[name]
	if client == nil {
		t.Blockedf("this run has no companion program %q", name)
	}
	return client
}

// subject is the name of the driver that is tested as it was found; empty where cases
// bring their own.
func (e *Env) subject() string {
	if s := e.Plan.Target.Subject; s != nil {
		return s.Driver
	}
	return ""
}

// connect makes the clients of a case.
func connect(config *rest.Config) (kubernetes.Interface, Objects, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client: %w", err)
	}
	objects, err := resources.New(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client: %w", err)
	}
	return client, objects, nil
}

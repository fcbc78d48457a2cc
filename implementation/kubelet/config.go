package kubelet

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

// Config is what the manager needs of the kubelet that it is built into.
type Config struct {
	// StateDir is where the checkpoint is: the kubelet's root directory. Required.
	StateDir string
	// Client is for ResourceClaims and ResourceSlices, nil if the kubelet has no API
	// server. Then no pod with claims can start and no ResourceSlice is removed.
	Client kubernetes.Interface
	// Recorder is for events of pods. Without one there are none.
	Recorder record.EventRecorder
	// CDIDirs are the directories where the container runtime looks for CDI specs. None
	// stands for those that the CDI specification names.
	CDIDirs []string
	// Gates are the feature gates.
	Gates Gates
	// Metrics may be nil.
	Metrics Metrics
	// Clock may be nil.
	Clock clock.Clock
}

// Gates says which parts are on. A field is named after its feature gate.
type Gates struct {
	DRAExtendedResource         bool // KEP-5004
	DRAOptionalNodeOperations   bool // KEP-5945
	DRAWorkloadResourceClaims   bool // KEP-5729
	ResourceHealthStatus        bool // KEP-4680
	ResourceHealthStatusMessage bool // KEP-4680
}

// Metrics takes what the manager counts. The metrics themselves belong to the kubelet,
// so that they keep their names.
type Metrics interface {
	// Operation observes how long all claims of a pod took
	// (dra_operations_duration_seconds). The name is PrepareResources or
	// UnprepareResources.
	Operation(name string, isError bool, duration time.Duration)
	// Call observes a call of a driver (dra_grpc_operations_duration_seconds). The
	// method is the full gRPC name, the code a name of google.golang.org/grpc/codes.
	Call(driver, method, code string, duration time.Duration)
	// PrepareSkipped counts claims that need no NodePrepareResources of a driver
	// (dra_node_prepare_skips_total).
	PrepareSkipped(driver string)
	// UnprepareSkipped counts claims that need no NodeUnprepareResources of a driver
	// (dra_node_unprepare_skips_total).
	UnprepareSkipped(driver string)
}

// ActivePods returns the pods of this node that are not known to be over.
type ActivePods func() []*corev1.Pod

// GetNode returns the node that the kubelet runs on.
type GetNode func(context.Context) (*corev1.Node, error)

// SourcesReady says whether all sources of pods have been heard, so that ActivePods
// has all pods.
type SourcesReady interface{ AllReady() bool }

func (c *Config) setDefaults() error {
	if c.StateDir == "" {
		return errors.New("no state directory")
	}
	if len(c.CDIDirs) == 0 {
		c.CDIDirs = cdi.DefaultSpecDirs
	}
	if c.Recorder == nil {
		c.Recorder = &record.FakeRecorder{}
	}
	if c.Metrics == nil {
		c.Metrics = noMetrics{}
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return nil
}

// noMetrics is for managers without metrics.
type noMetrics struct{}

func (noMetrics) Operation(string, bool, time.Duration)      {}
func (noMetrics) Call(string, string, string, time.Duration) {}
func (noMetrics) PrepareSkipped(string)                      {}
func (noMetrics) UnprepareSkipped(string)                    {}

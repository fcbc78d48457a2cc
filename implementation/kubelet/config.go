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

// Config is the manager's interface to the surrounding kubelet.
type Config struct {
	// StateDir is the directory of the checkpoint: the kubelet's root directory. Required.
	StateDir string
	// Client accesses ResourceClaims and ResourceSlices. It is nil if the kubelet has no API
	// server. Then no pod with claims can start and no ResourceSlice is removed.
	Client kubernetes.Interface
	// Recorder records pod events. It may be nil.
	Recorder record.EventRecorder
	// CDIDirs are the container runtime's CDI spec directories. Empty means the defaults of the CDI
	// specification.
	CDIDirs []string
	// Gates are the feature gates.
	Gates Gates
	// Metrics may be nil.
	Metrics Metrics
	// Clock may be nil.
	Clock clock.Clock
}

// Gates are feature gates. A field has the name of its gate.
type Gates struct {
	DRAExtendedResource         bool // KEP-5004
	DRAOptionalNodeOperations   bool // KEP-5945
	DRAWorkloadResourceClaims   bool // KEP-5729
	ResourceHealthStatus        bool // KEP-4680
	ResourceHealthStatusMessage bool // KEP-4680
}

// Metrics receives measurements. The kubelet owns the metrics, so they keep their names.
type Metrics interface {
	// Operation observes the duration for all claims of a pod (dra_operations_duration_seconds).
	// The name is PrepareResources or UnprepareResources.
	Operation(name string, isError bool, duration time.Duration)
	// Call observes a driver call (dra_grpc_operations_duration_seconds). The method is the full
	// gRPC name, the code a name of google.golang.org/grpc/codes.
	Call(driver, method, code string, duration time.Duration)
	// PrepareSkipped counts claims without need for NodePrepareResources of a driver
	// (dra_node_prepare_skips_total).
	PrepareSkipped(driver string)
	// UnprepareSkipped counts claims without need for NodeUnprepareResources of a driver
	// (dra_node_unprepare_skips_total).
	UnprepareSkipped(driver string)
}

// ActivePods returns the node's pods not known to have terminated.
type ActivePods func() []*corev1.Pod

// GetNode returns the kubelet's node.
type GetNode func(context.Context) (*corev1.Node, error)

// SourcesReady reports whether all pod sources are ready, so ActivePods is complete.
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

type noMetrics struct{}

func (noMetrics) Operation(string, bool, time.Duration)      {}
func (noMetrics) Call(string, string, string, time.Duration) {}
func (noMetrics) PrepareSkipped(string)                      {}
func (noMetrics) UnprepareSkipped(string)                    {}

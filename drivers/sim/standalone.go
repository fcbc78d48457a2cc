package sim

import (
	"context"
	"errors"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Standalone says how a driver that runs on its own differs from a good one; the zero
// value is a good one.
type Standalone struct {
	// Around puts something between the kubelet and the driver; nil puts nothing there.
	Around func(kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin
	// Undivided publishes each pool as one slice, also one that is too large for that.
	Undivided bool
	// Once publishes when the driver starts, and never again.
	Once bool
	// LeavesSockets has each process open sockets of its own, and leave them when it ends.
	LeavesSockets bool
	// Intercept is between the kubelet and all services; nil for nothing.
	Intercept grpc.UnaryServerInterceptor
}

// Run is a driver as vendors ship them: one driver in a process of its own, that nobody
// controls. It returns when ctx ends. Its slices, CDI files and prepared claims stay, as
// the next process goes on with them. What keeps slices from being published is logged,
// and tried again.
func (s Standalone) Run(ctx context.Context, agent Config, config spec.DriverConfig) error {
	if err := errors.Join(agent.Validate(), config.Validate()); err != nil {
		return fmt.Errorf("check configuration: %w", err)
	}
	agent = agent.withDefaults()
	// There is no marker in it: an agent on the same node would remove it.
	if err := os.MkdirAll(agent.pluginDir(config.Name), 0o750); err != nil {
		return fmt.Errorf("make plugin directory: %w", err)
	}
	i := newInstance(agent, config)
	i.publisher.undivided = s.Undivided
	if s.Around != nil {
		i.served = s.Around(i.plugin)
	}
	if s.Once {
		config.Publishing = spec.PublishByHelper // which nobody asks, so that it is done below and nowhere else
	}
	if s.LeavesSockets {
		i.generation = os.Getpid()
	}
	var interceptors []grpc.UnaryServerInterceptor
	if s.Intercept != nil {
		interceptors = append(interceptors, s.Intercept)
	}
	conn, err := connect(ctx, i, config, spec.Announcement{}, i.generation, interceptors...)
	if err != nil {
		return err
	}
	if !s.LeavesSockets {
		defer conn.close()
	}
	logger := klog.FromContext(ctx)
	if err := i.publisher.set(ctx, config.Profile); err != nil {
		logger.Error(err, "Slices are not published; it is tried again", "driver", config.Name)
	}
	logger.Info("Driver is ready", "driver", config.Name, "node", agent.NodeName)
	<-ctx.Done()
	return nil
}

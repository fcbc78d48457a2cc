package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/drivers/sim/script"
	"github.com/dra-conformance/dratest/framework/spec"
)

// connection is one set of sockets of an instance: what a process is for an
// ordinary driver.
type connection struct {
	helper *kubeletplugin.Helper

	mutex sync.Mutex
	// registered is closed by the kubelet's first acceptance.
	registered chan struct{}
	accepted   bool
	refusal    string
}

// connect opens the sockets of generation n of a driver, so that two
// generations can live side by side, and publishes its inventory.
func connect(ctx context.Context, c Config, config spec.DriverConfig, n int, plugin *plugin, script *script.Script) (*connection, error) {
	conn := &connection{registered: make(chan struct{})}
	offers := func(version spec.GRPCVersion) bool {
		return len(config.GRPC) == 0 || slices.Contains(config.GRPC, version)
	}
	// The sockets outlive the request that opens them.
	helper, err := kubeletplugin.Start(context.WithoutCancel(ctx), plugin,
		kubeletplugin.DriverName(config.Name),
		kubeletplugin.NodeName(c.NodeName),
		kubeletplugin.NodeUID(c.NodeUID),
		kubeletplugin.KubeClient(c.Client),
		kubeletplugin.RegistrarDirectoryPath(c.registryDir()),
		kubeletplugin.PluginDataDirectoryPath(c.pluginDir(config.Name)),
		kubeletplugin.RollingUpdate(types.UID(strconv.Itoa(n))),
		kubeletplugin.NodeV1(offers(spec.GRPCv1)),
		kubeletplugin.NodeV1beta1(offers(spec.GRPCv1beta1)),
		kubeletplugin.HealthService(false),
		kubeletplugin.GRPCInterceptor(conn.watchRegistration),
		kubeletplugin.GRPCInterceptor(script.Intercept),
	)
	if err != nil {
		return nil, fmt.Errorf("open sockets: %w", err)
	}
	conn.helper = helper
	if err := conn.publish(ctx, c.NodeName, config.Profile); err != nil {
		helper.Stop()
		return nil, err
	}
	return conn, nil
}

// publish replaces the inventory; it is written in the background.
func (c *connection) publish(ctx context.Context, node string, profile spec.Profile) error {
	if err := c.helper.PublishResources(ctx, driverResources(node, profile)); err != nil {
		return fmt.Errorf("publish devices: %w", err)
	}
	return nil
}

func (c *connection) close() { c.helper.Stop() }

// watchRegistration is a gRPC interceptor that sees what the kubelet says about
// the registration; the helper's own record can not be read safely.
func (c *connection) watchRegistration(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	response, err := handler(ctx, request)
	if status, ok := request.(*registerapi.RegistrationStatus); ok {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if status.PluginRegistered && !c.accepted {
			close(c.registered)
		}
		c.accepted = c.accepted || status.PluginRegistered
		c.refusal = status.Error
	}
	return response, err
}

// state tells whether the kubelet has accepted the registration, and why not.
func (c *connection) state() (bool, string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.accepted && c.refusal == "", c.refusal
}

// waitRegistered returns once the kubelet has accepted the registration.
func (c *connection) waitRegistered(ctx context.Context) error {
	select {
	case <-c.registered:
		return nil
	case <-ctx.Done():
		_, refusal := c.state()
		return errors.Join(fmt.Errorf("wait for the kubelet to register the new instance (last answer %q): %w", refusal, ctx.Err()))
	}
}

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

package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// connection is one set of sockets of an instance, like one process of an ordinary driver. While it is open, the
// inventory stays published.
type connection struct {
	helper       *kubeletplugin.Helper
	service      *service
	publisher    *publisher // nil where the helper publishes
	node         string
	announcement spec.Announcement
	// kick asks for a look at the published inventory.
	kick       chan struct{}
	stop       context.CancelFunc
	publishing sync.WaitGroup

	mutex sync.Mutex
	// registered is closed by the kubelet's first acceptance.
	registered chan struct{}
	accepted   bool
	refusal    string
	failed     []spec.Method
}

// connect opens sockets with names unique to each process of a driver, so that two can coexist. Additional library
// options come after the instance's own.
func connect(ctx context.Context, i *instance, config spec.DriverConfig, announcement spec.Announcement, process types.UID, more ...kubeletplugin.Option) (*connection, error) {
	conn := &connection{node: i.agent.NodeName, announcement: announcement, kick: make(chan struct{}, 1), registered: make(chan struct{})}
	conn.service = &service{connections: &i.connections, shut: i.shut}
	offers := func(version spec.GRPCVersion) bool {
		return len(config.GRPC) == 0 || slices.Contains(config.GRPC, version)
	}
	// The connection outlives the request opening it.
	ctx, conn.stop = context.WithCancel(context.WithoutCancel(ctx))
	client, err := i.agent.client(config)
	if err != nil {
		conn.stop()
		return nil, err
	}
	options := []kubeletplugin.Option{
		kubeletplugin.DriverName(config.Name),
		kubeletplugin.NodeName(i.agent.NodeName),
		kubeletplugin.NodeUID(i.agent.NodeUID),
		kubeletplugin.KubeClient(client),
		kubeletplugin.PluginListener(conn.service.listen),
		kubeletplugin.RegistrarDirectoryPath(i.agent.registryDir()),
		kubeletplugin.PluginDataDirectoryPath(i.agent.pluginDir(config.Name)),
		kubeletplugin.RollingUpdate(process),
		kubeletplugin.NodeV1(offers(spec.GRPCv1)),
		kubeletplugin.NodeV1beta1(offers(spec.GRPCv1beta1)),
		kubeletplugin.Serialize(config.Mutant != spec.MutantAtOnce),
		kubeletplugin.HealthService(config.Profile.Health),
		kubeletplugin.HealthV1(!config.OlderHealth),
		kubeletplugin.GRPCInterceptor(conn.watchRegistration),
		kubeletplugin.GRPCInterceptor(i.script.Intercept),
	}
	if config.Profile.Metadata {
		options = append(options, metadataOptions(config, i.agent.CDIDir)...)
	}
	helper, err := kubeletplugin.Start(ctx, i.served, append(options, more...)...)
	if err != nil {
		conn.stop()
		return nil, fmt.Errorf("open sockets: %w", err)
	}
	conn.helper = helper
	switch {
	case config.Publishing == spec.PublishAtOnce:
		conn.publisher = i.publisher
	case slices.Contains([]spec.MutantID{spec.MutantInPlace, spec.MutantOneVersion, spec.MutantUnchecked}, config.Mutant):
		own := i.agent
		own.Client = client
		conn.publisher = &publisher{agent: own, driver: config.Name, mutant: config.Mutant}
	}
	if conn.publisher != nil {
		conn.publishing.Go(func() { conn.publisher.run(ctx, conn.kick, i.plugin.report) })
	}
	return conn, nil
}

// publish replaces the inventory. It is in the API server when publish returns, except with the helper, which reports
// errors later.
func (c *connection) publish(ctx context.Context, profile spec.Profile) error {
	if c.publisher != nil {
		return c.publisher.set(ctx, profile)
	}
	if err := c.helper.PublishResources(ctx, resources(c.node, profile)); err != nil {
		return fmt.Errorf("publish by the helper: %w", err)
	}
	return nil
}

func (c *connection) close() {
	c.stop()
	c.helper.Stop()
	c.publishing.Wait()
}

// watchRegistration is a gRPC interceptor returning the driver's scripted announcement and recording the kubelet's
// registration status; the helper's own record cannot be read safely.
func (c *connection) watchRegistration(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if method := registrationCall(request); c.fails(method) {
		return nil, grpcstatus.Errorf(codes.Unavailable, "%s fails once, on purpose", method)
	}
	response, err := handler(ctx, request)
	if info, ok := response.(*registerapi.PluginInfo); ok && err == nil {
		info.Type = cmp.Or(c.announcement.Type, info.Type)
		if len(c.announcement.Versions) > 0 {
			info.SupportedVersions = c.announcement.Versions
		}
	}
	if announcement, ok := request.(*registerapi.RegistrationStatus); ok {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if announcement.PluginRegistered && !c.accepted {
			close(c.registered)
		}
		c.accepted = c.accepted || announcement.PluginRegistered
		c.refusal = announcement.Error
		// A registering kubelet may have just started and deleted the slices of its node.
		select {
		case c.kick <- struct{}{}:
		default:
		}
	}
	return response, err
}

func registrationCall(request any) spec.Method {
	switch request.(type) {
	case *registerapi.InfoRequest:
		return spec.GetInfo
	case *registerapi.RegistrationStatus:
		return spec.NotifyRegistrationStatus
	}
	return ""
}

// fails reports whether a call is to fail, and records it.
func (c *connection) fails(method spec.Method) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !slices.Contains(c.announcement.Fails, method) || slices.Contains(c.failed, method) {
		return false
	}
	c.failed = append(c.failed, method)
	return true
}

// hasFailed returns the calls failed on purpose.
func (c *connection) hasFailed() []spec.Method {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.failed)
}

// state reports whether the kubelet accepted the registration, and why not.
func (c *connection) state() (bool, string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.accepted && c.refusal == "", c.refusal
}

func (c *connection) waitRegistered(ctx context.Context) error {
	select {
	case <-c.registered:
		return nil
	case <-ctx.Done():
		_, refusal := c.state()
		return fmt.Errorf("wait for the kubelet to register the new instance (last answer %q): %w", refusal, ctx.Err())
	}
}

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
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/sim/csi"
	"github.com/dra-conformance/dratest/drivers/sim/deviceplugin"
	"github.com/dra-conformance/dratest/drivers/sim/script"
	"github.com/dra-conformance/dratest/framework/spec"
)

// instance is one DRA driver on this node.
type instance struct {
	agent     Config
	script    *script.Script
	plugin    *plugin
	publisher *publisher
	attacher  *attacher
	// served handles the kubelet's calls: plugin, or a wrapper.
	served kubeletplugin.DRAPlugin
	// connections counts connections to the plugin sockets.
	connections atomic.Int64

	// lifecycle serializes start, change and stop; it may be held long.
	lifecycle sync.Mutex
	// old serves the device plugin API; nil if unused.
	old *deviceplugin.Plugin
	// volumes is a CSI driver of the same name; nil if unused.
	volumes *csi.Driver
	// generation numbers the sockets; only an upgrade changes it.
	generation int
	// shut is true while the kubelet cannot call the instance.
	shut bool

	// mutex guards the fields below and is held only briefly.
	mutex        sync.Mutex
	config       spec.DriverConfig
	announcement spec.Announcement
	conn         *connection // nil while disconnected
	broken       []string
}

func startInstance(ctx context.Context, agent Config, config spec.DriverConfig) (*instance, error) {
	dir := agent.pluginDir(config.Name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make plugin directory: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, marker), nil, 0o600); err != nil {
		return nil, fmt.Errorf("mark plugin directory: %w", err)
	}
	i := newInstance(agent, config)
	if err := i.connect(ctx); err != nil {
		i.disconnect()
		// Includes leftovers of a caller that gave up.
		return nil, errors.Join(err, removeTraces(context.WithoutCancel(ctx), agent, config.Name))
	}
	return i, nil
}

func newInstance(agent Config, config spec.DriverConfig) *instance {
	p := &plugin{driver: config.Name, node: agent.NodeName, client: agent.Client, mutant: config.Mutant, store: cdiStore{driver: config.Name, dir: agent.CDIDir}}
	p.profile.Store(&config.Profile)
	mutant, _ := spec.FindMutant(config.Mutant)
	p.declinesHealth = config.DeclinesHealth
	return &instance{
		agent: agent, config: config, script: &script.Script{Mutant: mutant.Fault}, generation: 1,
		plugin: p, served: p,
		publisher: &publisher{agent: agent, driver: config.Name, mutant: config.Mutant},
		attacher:  &attacher{agent: agent, driver: config.Name, mutant: config.Mutant, report: p.report},
	}
}

// change applies one change; lifecycle changes come last, so a restarted instance starts with the new inventory and
// faults.
func (i *instance) change(ctx context.Context, change spec.DriverChange) error {
	i.lifecycle.Lock()
	defer i.lifecycle.Unlock()
	if change.Faults != nil {
		if err := i.script.SetFaults(*change.Faults); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	if change.Profile != nil {
		if err := i.setProfile(ctx, *change.Profile); err != nil {
			return err
		}
	}
	if change.Fabric != nil {
		if err := i.attacher.setConditions(ctx, *change.Fabric); err != nil {
			return err
		}
	}
	if change.DevicePlugin != nil {
		if err := i.offer(ctx, *change.DevicePlugin); err != nil {
			return err
		}
	}
	if change.CSI != nil {
		if err := i.setCSI(ctx, *change.CSI); err != nil {
			return err
		}
	}
	if change.GRPC != nil {
		if err := i.setGRPC(*change.GRPC); err != nil {
			return err
		}
	}
	if change.Announce != nil {
		if err := i.setAnnouncement(*change.Announce); err != nil {
			return err
		}
	}
	if change.LoseCDI {
		if err := i.plugin.store.removeAll(); err != nil {
			return err
		}
	}
	if change.Restart || change.Disconnect != nil && *change.Disconnect {
		i.disconnect()
	}
	if change.Restart || change.Disconnect != nil && !*change.Disconnect {
		if err := i.connect(ctx); err != nil {
			return err
		}
	}
	if change.Serve != nil {
		if err := i.serve(ctx, *change.Serve); err != nil {
			return err
		}
	}
	if change.Upgrade {
		return i.upgrade(ctx)
	}
	return nil
}

func (i *instance) offer(ctx context.Context, plugin spec.DevicePlugin) error {
	if err := plugin.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if i.old != nil {
		i.old.Stop()
		i.old = nil
	}
	if plugin.Resource == "" {
		return nil
	}
	var err error
	i.old, err = deviceplugin.Start(ctx, i.agent.devicePluginDir(), i.config.Name, plugin, i.plugin.report)
	return err
}

func (i *instance) setCSI(ctx context.Context, wanted bool) (err error) {
	if i.volumes != nil {
		i.volumes.Stop()
		i.volumes = nil
	}
	if wanted {
		i.volumes, err = csi.Start(ctx, i.agent.registryDir(), i.agent.pluginDir(i.config.Name), i.config.Name, i.agent.NodeName)
	}
	return err
}

func (i *instance) setProfile(ctx context.Context, profile spec.Profile) error {
	if err := profile.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	i.mutex.Lock()
	i.config.Profile = profile
	i.plugin.profile.Store(&profile)
	conn := i.conn
	i.mutex.Unlock()
	if conn == nil {
		return nil
	}
	return conn.publish(ctx, profile)
}

// setGRPC sets the plugin API versions of the next connection.
func (i *instance) setGRPC(versions []spec.GRPCVersion) error {
	if err := spec.ValidateGRPC(versions); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.config.GRPC = versions
	return nil
}

// serve opens or shuts the instance's service socket, for this connection and later ones.
func (i *instance) serve(ctx context.Context, on bool) error {
	i.shut = !on
	i.mutex.Lock()
	conn := i.conn
	i.mutex.Unlock()
	if conn == nil {
		return nil
	}
	return conn.service.serve(ctx, on)
}

// setAnnouncement has the next connection tell this of itself.
func (i *instance) setAnnouncement(announcement spec.Announcement) error {
	for _, method := range announcement.Fails {
		if method != spec.GetInfo && method != spec.NotifyRegistrationStatus {
			return fmt.Errorf("%w: announce: %q is not a call of the registration", ErrInvalid, method)
		}
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.announcement = announcement
	return nil
}

func (i *instance) status() (spec.DriverStatus, error) {
	i.mutex.Lock()
	conn := i.conn
	i.mutex.Unlock()
	var status spec.DriverStatus
	if conn != nil {
		status.Registered, status.RegistrationError = conn.state()
		status.RegistrationFailed = conn.hasFailed()
	}
	status.Problem = i.plugin.problem()
	status.Calls, status.Conditions = i.script.Calls(), i.attacher.conditions()
	status.Connections, status.HealthAsked, status.AtOnce = i.connections.Load(), i.plugin.healthAsked.Load(), i.plugin.work.atOnce()
	var err error
	status.Prepared, err = i.plugin.store.held()
	return status, err
}

// stop stops the instance and removes its sockets, CDI files and ResourceSlices. The kubelet would remove the slices
// as well, but only 30 s later.
func (i *instance) stop(ctx context.Context) error {
	i.lifecycle.Lock()
	defer i.lifecycle.Unlock()
	i.disconnect()
	return errors.Join(i.offer(ctx, spec.DevicePlugin{}), i.setCSI(ctx, false), i.attacher.setConditions(ctx, nil), removeTraces(ctx, i.agent, i.config.Name))
}

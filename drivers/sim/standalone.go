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
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Standalone has the deviations of a standalone driver; the zero value is correct.
type Standalone struct {
	// Around wraps the driver's service; may be nil.
	Around func(kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin
	// Undivided publishes each pool as one slice, even if too large.
	Undivided bool
	// Once publishes when the driver starts, and never again.
	Once bool
	// LeavesSockets makes each process open sockets of its own, and leave them at its end.
	LeavesSockets bool
	// Process distinguishes its sockets from those of another process during a rolling update of a DaemonSet; empty if
	// only one runs at a time.
	Process types.UID
	// RemovesSlices deletes the slices when the driver ends.
	RemovesSlices bool
	// StaysUnhealthy keeps a once broken device unhealthy for ever.
	StaysUnhealthy bool
	// OnePool names the pools of all nodes alike.
	OnePool bool
	// ForgetsUpdated does not notice that a slice updated by this process was deleted.
	ForgetsUpdated bool
	// ForgetsCreated does the same for slices created by this process.
	ForgetsCreated bool
	// Options are additional library options, after the driver's own.
	Options []kubeletplugin.Option
	// Companion starts something beside the connected driver, and ends before it; may be nil.
	Companion func(context.Context) (end func(), err error)
	// Hotplug adds devices attached to the node by a fabric.
	Hotplug Hotplug
}

// Run runs a driver as vendors ship them: one driver in a process of its own, without an agent. It returns when ctx
// ends. Its slices, CDI files and prepared claims stay for the next process. Errors of publishing are logged and
// retried.
func (s Standalone) Run(ctx context.Context, agent Config, config spec.DriverConfig) error {
	if err := errors.Join(agent.Validate(), config.Validate(), s.Hotplug.Validate()); err != nil {
		return fmt.Errorf("check configuration: %w", err)
	}
	agent = agent.withDefaults()
	// It has no marker: an agent on the same node would remove it.
	if err := os.MkdirAll(agent.pluginDir(config.Name), 0o750); err != nil {
		return fmt.Errorf("make plugin directory: %w", err)
	}
	i := newInstance(agent, config)
	i.publisher.undivided, i.publisher.onePool = s.Undivided, s.OnePool
	if i.publisher.assumesCreated = s.ForgetsCreated; s.ForgetsUpdated || s.ForgetsCreated {
		i.publisher.updated = map[string]resourceapi.ResourceSlice{}
	}
	i.plugin.limited = true
	plugged := hotplug{
		Hotplug: s.Hotplug, DRAPlugin: i.plugin, driver: config.Name, node: agent.NodeName,
		profile: config.Profile, publisher: i.publisher, has: i.has,
	}
	publish := func(ctx context.Context) error { return i.publisher.set(ctx, config.Profile) }
	if s.Hotplug.Inventory != nil {
		i.served, publish = &plugged, plugged.begin
	}
	if s.Around != nil {
		i.served = s.Around(i.served)
	}
	if s.Once {
		config.Publishing = spec.PublishByHelper // unused, since it publishes below
	}
	process := s.Process
	switch {
	case s.LeavesSockets:
		process = types.UID(rand.String(5))
	case process == "":
		process = generation(i.generation)
	}
	conn, err := connect(ctx, i, config, spec.Announcement{}, process, s.Options...)
	if err != nil {
		return err
	}
	if !s.LeavesSockets {
		defer conn.close()
	}
	if s.Companion != nil {
		end, err := s.Companion(ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	logger := klog.FromContext(ctx)
	if err := publish(ctx); err != nil {
		logger.Error(err, "Slices are not published; it is tried again", "driver", config.Name)
	}
	logger.Info("Driver is ready", "driver", config.Name, "node", agent.NodeName)
	var running sync.WaitGroup
	if s.Hotplug.Inventory != nil {
		running.Go(func() { plugged.run(ctx) })
	}
	i.watchBroken(ctx, s.StaysUnhealthy, func(broken []string) {
		if s.Once || s.Hotplug.Inventory != nil {
			return // it does not publish, or somebody else does
		}
		// Failed writes are retried as usual.
		if err := i.publisher.set(ctx, withBroken(config.Profile, broken)); err != nil {
			logger.Error(err, "Broken devices have no taint", "driver", config.Name, "devices", broken)
		}
	})
	running.Wait()
	if s.RemovesSlices {
		return i.publisher.set(context.WithoutCancel(ctx), spec.Profile{})
	}
	return nil
}

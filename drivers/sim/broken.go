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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/spec"
)

// watchBroken checks for broken devices once a checkup, until ctx ends. With stays, a broken device stays unhealthy
// for ever; changed is called with the broken devices when they change.
func (i *instance) watchBroken(ctx context.Context, stays bool, changed func(broken []string)) {
	ticker := time.NewTicker(checkup)
	defer ticker.Stop()
	dir := filepath.Join(i.agent.pluginDir(i.config.Name), deploy.BrokenDir)
	var broken []string
	for {
		now, err := brokenIn(dir)
		if err != nil {
			klog.FromContext(ctx).Error(err, "Devices are not looked at", "driver", i.config.Name)
			now = broken
		}
		if stays {
			now = append(now, broken...)
			slices.Sort(now)
			now = slices.Compact(now)
		}
		if !slices.Equal(now, broken) {
			changed(now)
		}
		broken = now
		i.has(func(_ *spec.Profile, known *[]string) { *known = broken })
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (i *instance) has(change func(profile *spec.Profile, broken *[]string)) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	change(&i.config.Profile, &i.broken)
	profile := withBroken(i.config.Profile, i.broken)
	i.plugin.profile.Store(&profile)
}

func brokenIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// withBroken is a profile with these devices unhealthy and tainted NoSchedule. Pods using them keep running: their
// status shows the health.
func withBroken(p spec.Profile, broken []string) spec.Profile {
	p.Pools = slices.Clone(p.Pools)
	for n := range p.Pools {
		pool := &p.Pools[n]
		pool.Health, pool.Devices = slices.Clone(pool.Health), slices.Clone(pool.Devices)
		for i, device := range pool.Devices {
			if slices.Contains(broken, device.Name) {
				pool.Health = append(pool.Health, spec.DeviceHealth{Device: device.Name, State: corev1.ResourceHealthStatusUnhealthy})
				pool.Devices[i].Taints = append(slices.Clone(device.Taints), resourceapi.DeviceTaint{Key: profiles.TaintKey, Effect: resourceapi.DeviceTaintEffectNoSchedule})
			}
		}
	}
	return p
}

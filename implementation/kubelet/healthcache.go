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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
)

// Name and format of the file are the kubelet's.
const healthFile = "dra_health_state"

const (
	// healthTimeout is the validity of a report if the driver did not set one.
	healthTimeout = 30 * time.Second
	// maxDevices is the limit of remembered devices per driver. Reports are not checked against
	// ResourceSlices, so a driver could invent any number.
	maxDevices = 16384
)

// deviceHealth is the reported health of a device. Its field names are the file format.
type deviceHealth struct {
	PoolName, DeviceName string
	Health               corev1.ResourceHealthStatus
	LastUpdated          time.Time
	HealthCheckTimeout   time.Duration
	Message              string
}

type deviceName struct{ pool, device string }

func (h deviceHealth) name() deviceName { return deviceName{h.PoolName, h.DeviceName} }

// differs reports whether two reports differ for users.
func (h deviceHealth) differs(other deviceHealth) bool {
	other.LastUpdated = h.LastUpdated
	return h != other
}

func (h deviceHealth) expired(now time.Time) bool {
	return now.Sub(h.LastUpdated) > h.HealthCheckTimeout
}

// healthCache has the health of devices. Missing devices are Unknown.
type healthCache struct {
	path  string
	clock clock.Clock

	mu      sync.Mutex
	drivers map[string]map[deviceName]deviceHealth
	// streams counts the reporting instances of a driver.
	streams map[string]int
}

// healthState is the content of the file: drivers, and devices by "<pool>/<device>".
type healthState map[string]struct{ Devices map[string]deviceHealth }

// readHealth reads the file. After an error it starts empty: drivers report again. A report from
// the future, because the clock was set back, counts as current.
func readHealth(path string, clock clock.Clock) (*healthCache, error) {
	c := &healthCache{path: path, clock: clock, drivers: make(map[string]map[deviceName]deviceHealth), streams: make(map[string]int)}
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	var state healthState
	if err == nil {
		err = json.Unmarshal(file, &state)
	}
	if err != nil {
		return c, fmt.Errorf("read health of devices: %w", err)
	}
	for driver, content := range state {
		c.drivers[driver] = make(map[deviceName]deviceHealth)
		for _, device := range content.Devices {
			if now := clock.Now(); device.LastUpdated.After(now) {
				device.LastUpdated = now
			}
			if device.HealthCheckTimeout <= 0 {
				device.HealthCheckTimeout = healthTimeout
			}
			c.drivers[driver][device.name()] = device
		}
	}
	return c, nil
}

// write saves the state. The lock is held.
func (c *healthCache) write() error {
	state := make(healthState)
	for driver, devices := range c.drivers {
		content := make(map[string]deviceHealth, len(devices))
		for _, device := range devices {
			content[device.PoolName+"/"+device.DeviceName] = device
		}
		state[driver] = struct{ Devices map[string]deviceHealth }{content}
	}
	file, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode health of devices: %w", err)
	}
	if err := replaceFile(c.path, file); err != nil {
		return fmt.Errorf("write health of devices: %w", err)
	}
	return nil
}

// get returns the health of a device and the driver's message.
func (c *healthCache) get(driver string, name deviceName) (corev1.ResourceHealthStatus, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	device, ok := c.drivers[driver][name]
	if !ok || device.expired(c.clock.Now()) {
		return corev1.ResourceHealthStatusUnknown, ""
	}
	return device.Health, device.Message
}

// update stores a report about all devices watched by the driver, and returns the devices with
// changed health. Missing devices are forgotten when their last report expires. Errors are only
// about the file.
func (c *healthCache) update(driver string, report []deviceHealth) (changed map[deviceName]bool, ignored int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	devices := c.drivers[driver]
	if devices == nil {
		devices = make(map[deviceName]deviceHealth)
		c.drivers[driver] = devices
	}
	changed = make(map[deviceName]bool)
	for _, device := range report {
		device.LastUpdated = now
		old, known := devices[device.name()]
		if !known && len(devices) >= maxDevices {
			ignored++
			continue
		}
		if !known || device.differs(old) || old.expired(now) {
			changed[device.name()] = true
		}
		devices[device.name()] = device
	}
	forgotten := false
	for name, device := range devices {
		if device.expired(now) {
			delete(devices, name)
			forgotten = true
			if device.Health != corev1.ResourceHealthStatusUnknown {
				changed[name] = true
			}
		}
	}
	if len(changed) > 0 || forgotten {
		err = c.write()
	}
	return changed, ignored, err
}

// begin records that an instance of a driver starts reporting.
func (c *healthCache) begin(driver string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams[driver]++
}

// end records that an instance of a driver stops reporting. After the last one, all devices become
// Unknown unless keep is set. It returns the changed devices.
func (c *healthCache) end(driver string, keep bool) (changed map[deviceName]bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams[driver]--
	if c.streams[driver] > 0 {
		return nil, nil
	}
	delete(c.streams, driver)
	if keep || len(c.drivers[driver]) == 0 {
		return nil, nil
	}
	changed = make(map[deviceName]bool)
	for name, device := range c.drivers[driver] {
		if device.Health != corev1.ResourceHealthStatusUnknown {
			changed[name] = true
		}
	}
	delete(c.drivers, driver)
	return changed, c.write()
}

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

package site

import (
	"os"
	"path/filepath"
	"time"
)

// DriverConfig configures a node's driver.
type DriverConfig struct {
	// Program is the path of dra-sim.
	Program string
	Client
	// Node is the node's name. It may be simulated: without a kubelet nobody calls the driver, and a temporary directory
	// replaces the kubelet's.
	Node string
	// Rescan is the polling interval for attached devices.
	Rescan time.Duration
}

// DriverAgent is the user agent of a node's driver at the manager.
func DriverAgent(node string) string { return "dra-sim/" + node }

// Drive starts a driver with only the devices attached to its node; Close stops it.
func (s *Site) Drive(config DriverConfig) (*Program, error) {
	return s.start("driver", config.Program, config.Client, func(dir string) ([]string, error) {
		// A kubelet makes the directory where drivers register.
		err := os.Mkdir(filepath.Join(dir, "plugins_registry"), 0o700)
		return []string{"driver", "--name=" + config.Driver, "--node=" + config.Node, "--devices=0", "--shared=false",
			"--kubelet-root=" + dir, "--cdi-dir=" + filepath.Join(dir, "cdi"), "--fabric-rescan=" + config.Rescan.String()}, err
	})
}

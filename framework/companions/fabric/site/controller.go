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

import "time"

// Config configures a cluster's controller.
type Config struct {
	// Program is the path of dra-composable-controller.
	Program string
	Client
	// Bind binds pods with their slots; otherwise they are rescheduled.
	Bind bool
	// DetachAfter is the idle time before detaching, Refresh the polling interval for free devices.
	DetachAfter, Refresh time.Duration
}

// Agent is the controller's user agent at the manager.
const Agent = "dra-composable-controller"

// Control starts a controller; Close stops it.
func (s *Site) Control(config Config) (*Program, error) {
	when := "reschedule"
	if config.Bind {
		when = "bind"
	}
	return s.start("controller", config.Program, config.Client, func(string) ([]string, error) {
		return []string{"--secure-port=0", "--leader-elect=false", "--v=4", "--driver-name=" + config.Driver, "--when-attached=" + when,
			"--detach-after=" + config.DetachAfter.String(), "--refresh-period=" + config.Refresh.String()}, nil
	})
}

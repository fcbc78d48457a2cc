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

// Connected reports whether a driver has a connection and its ResourceSlices stay.
func (m *Manager) Connected(driver string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	instance, _ := m.drivers.Pick(driver)
	return instance.Connected
}

// MaxDevices is the maximum number of remembered devices per driver.
const MaxDevices = maxDevices

// Stopped reports whether all background work and writing has ended.
func (m *Manager) Stopped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.node == nil && !m.planning
}

// Waiting returns the number of waiting pods.
func (m *Manager) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.tasks)
}

// Writing reports whether steps are being executed, with no new tasks or answers to plan for.
func (m *Manager) Writing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.planning && !m.due
}

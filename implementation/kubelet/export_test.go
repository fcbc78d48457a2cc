package kubelet

// Connected says whether a driver has a connection and its ResourceSlices stay.
func (m *Manager) Connected(driver string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	instance, _ := m.drivers.Pick(driver)
	return instance.Connected
}

// MaxDevices is how many devices of a driver are remembered.
const MaxDevices = maxDevices

// Stopped says whether nothing is begun any more.
func (m *Manager) Stopped() bool { return m.started() == nil }

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
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

type plugin struct {
	driver, endpoint string
	conn             *grpc.ClientConn
	// cancel ends the instance's background work.
	cancel context.CancelFunc
	// connected is the last recorded state.
	connected bool
}

func (p *plugin) close() {
	p.cancel()
	// The only possible error is that it was already closed.
	_ = p.conn.Close()
}

// ValidatePlugin checks whether a plugin is usable. With RegisterPlugin and DeRegisterPlugin, it
// makes the Manager the kubelet's handler for plugins of type DRAPlugin.
func (m *Manager) ValidatePlugin(_ context.Context, driver, endpoint string, services []string) error {
	var none nodeplan.Drivers
	_, err := none.Register(driver, endpoint, services, 0)
	return err
}

// RegisterPlugin adds a driver instance. There may be several; the newest connected one is called.
// A nil timeout means nodeplan.DefaultTimeout for each call.
func (m *Manager) RegisterPlugin(ctx context.Context, driver, endpoint string, services []string, timeout *time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.node == nil {
		return errors.New("the DRA manager is not running")
	}
	instance, err := m.drivers.Register(driver, endpoint, services, ptr.Deref(timeout, 0))
	if err != nil {
		return err
	}
	conn, err := m.connect(driver, endpoint)
	if err != nil {
		m.drivers.Deregister(driver, endpoint)
		return fmt.Errorf("create gRPC connection to DRA driver %s plugin at endpoint %s: %w", driver, endpoint, err)
	}
	// It outlives this call.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &plugin{driver: driver, endpoint: endpoint, conn: conn, cancel: cancel}
	m.plugins[endpoint] = p
	go m.monitor(ctx, p)
	if client := healthClient(conn, services); client != nil && m.config.Gates.ResourceHealthStatus {
		go m.watchHealth(ctx, driver, client)
	}
	m.syncWipe(ctx, driver)
	klog.FromContext(ctx).V(2).Info("Registered DRA plugin", "driver", driver, "endpoint", endpoint, "service", instance.Service)
	return nil
}

// DeRegisterPlugin removes an instance.
func (m *Manager) DeRegisterPlugin(ctx context.Context, driver, endpoint string) {
	m.mu.Lock()
	p := m.plugins[endpoint]
	if p == nil || p.driver != driver {
		m.mu.Unlock()
		return
	}
	delete(m.plugins, endpoint)
	m.drivers.Deregister(driver, endpoint)
	m.syncWipe(ctx, driver)
	m.mu.Unlock()
	p.close()
	klog.FromContext(ctx).V(2).Info("Deregistered DRA plugin", "driver", driver, "endpoint", endpoint)
}

// connect opens a persistent connection: a driver may restart at the same endpoint without
// registering again.
func (m *Manager) connect(driver, endpoint string) (*grpc.ClientConn, error) {
	retry := backoff.DefaultConfig
	retry.BaseDelay = 100 * time.Millisecond
	retry.MaxDelay = 5 * time.Second
	conn, err := grpc.NewClient("unix:"+endpoint,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: 5 * time.Second}),
		// By default an idle connection is closed after 30 minutes, and a driver lost after that
		// goes unnoticed (kubernetes#133920).
		grpc.WithIdleTimeout(0),
		grpc.WithUnaryInterceptor(m.observe(driver)),
	)
	if err != nil {
		return nil, err
	}
	conn.Connect()
	return conn, nil
}

// monitor records the connection state until ctx is done.
func (m *Manager) monitor(ctx context.Context, p *plugin) {
	for {
		state := p.conn.GetState()
		if state == connectivity.Idle {
			// Required to reconnect after a loss.
			p.conn.Connect()
		}
		m.setConnected(ctx, p, state == connectivity.Ready)
		if !p.conn.WaitForStateChange(ctx, state) {
			return
		}
	}
}

func (m *Manager) setConnected(ctx context.Context, p *plugin, connected bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plugins[p.endpoint] != p || p.connected == connected {
		return
	}
	p.connected = connected
	m.drivers.SetConnected(p.driver, p.endpoint, connected)
	m.syncWipe(ctx, p.driver)
	klog.FromContext(ctx).V(2).Info("Connection to DRA plugin has changed", "driver", p.driver, "endpoint", p.endpoint, "connected", connected)
}

func (m *Manager) pick(driver string) (nodeplan.Instance, *plugin, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	instance, ok := m.drivers.Pick(driver)
	if !ok {
		return nodeplan.Instance{}, nil, fmt.Errorf("DRA driver %s is not registered", driver)
	}
	return instance, m.plugins[instance.Endpoint], nil
}

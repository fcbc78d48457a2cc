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

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/sim/script"
	"github.com/dra-conformance/dratest/framework/spec"
)

// connecting bounds how long a driver takes to answer.
const connecting = 10 * time.Second

// Config says where a proxy stands.
type Config struct {
	Driver string
	// RegistryDir is the kubelet's registry, PluginsDir the parent of drivers' socket directories. The kubelet sees both
	// at the same paths.
	RegistryDir, PluginsDir string
	// Root is the path of the node's root file system.
	Root string
	// Kill kills the process listening at the other end of a connection.
	Kill func(net.Conn) error
	// Use is the resource use of that process.
	Use func(net.Conn) (spec.ProcessUse, error)
	// Proxy has the faults to inject.
	Proxy spec.Proxy
}

// Proxy is a running proxy.
type Proxy struct {
	config  Config
	script  script.Script
	servers []*grpc.Server
	// real is connected to the driver's own socket, path.
	real    *grpc.ClientConn
	path    string
	dir     string
	closing func() error
	// ended is closed when the driver's process has ended or the proxy was closed.
	ended chan struct{}

	mutex      sync.Mutex
	registered bool
	refusal    string
	gone       bool
	notKilled  error

	// killing is held while the driver is killed, so it is killed once.
	killing sync.Mutex
	killed  bool
}

// Start starts a proxy of the most recently registered process of a driver. It returns before the kubelet has
// registered the proxy. Errors: the driver is not registered, or offers only its health service.
func Start(ctx context.Context, c Config) (_ *Proxy, err error) {
	p := &Proxy{config: c, ended: make(chan struct{})}
	p.closing = sync.OnceValue(p.remove)
	if err := p.script.SetFaults(c.Proxy.Faults); err != nil {
		return nil, err
	}
	services, err := p.find(ctx)
	if err != nil {
		return nil, fmt.Errorf("stand before driver %s: %w", c.Driver, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("stand before driver %s: %w", c.Driver, err), p.Close())
		}
	}()
	// It never goes idle: its end means the end of the driver.
	if p.real, err = grpc.NewClient("unix://"+p.path, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithIdleTimeout(0)); err != nil {
		return nil, err
	}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp(c.PluginsDir, nodefiles.ProxyPrefix); err != nil {
		return nil, err
	}
	endpoint := filepath.Join(p.dir, "dra.sock")
	plugin := grpc.NewServer(grpc.UnaryInterceptor(p.script.Intercept))
	p.offer(plugin, services)
	if err := p.serve(plugin, endpoint); err != nil {
		return nil, err
	}
	registrar := grpc.NewServer()
	registerapi.RegisterRegistrationServer(registrar, &registrarServer{proxy: p, info: &registerapi.PluginInfo{
		Type: registerapi.DRAPlugin, Name: c.Driver, Endpoint: endpoint, SupportedVersions: services,
	}})
	if err := p.serve(registrar, filepath.Join(c.RegistryDir, filepath.Base(p.dir)+"-reg.sock")); err != nil {
		return nil, err
	}
	go p.leaveWithDriver()
	return p, nil
}

func (p *Proxy) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	p.real.Connect()
	for state := p.real.GetState(); state != connectivity.Ready; state = p.real.GetState() {
		if !p.real.WaitForStateChange(ctx, state) {
			return fmt.Errorf("connect to %s: %w", p.path, context.Cause(ctx))
		}
	}
	return nil
}

// find finds the driver's own socket and returns its services, without health, which kubelets keep by the driver's
// name.
func (p *Proxy) find(ctx context.Context) (services []string, err error) {
	sockets, err := nodefiles.Sockets(ctx, p.config.RegistryDir, p.config.Root)
	if err != nil {
		return nil, err
	}
	for _, s := range sockets {
		if s.Driver != p.config.Driver || s.Problem != "" || s.IsProxy() {
			continue
		}
		p.path = s.Endpoint
		if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) {
			p.path = filepath.Join(p.config.Root, p.path)
		}
		services = slices.DeleteFunc(slices.Clone(s.Services), func(service string) bool { return strings.Contains(service, "Health") })
		if len(services) == 0 {
			return nil, fmt.Errorf("it offers only %v", s.Services)
		}
		return services, nil
	}
	return nil, errors.New("it has not registered")
}

func (p *Proxy) serve(server *grpc.Server, path string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return err
	}
	p.servers = append(p.servers, server)
	go func() { _ = server.Serve(listener) }()
	return nil
}

// leaveWithDriver returns when the driver's process has ended or the proxy is closed.
func (p *Proxy) leaveWithDriver() {
	p.real.WaitForStateChange(context.Background(), connectivity.Ready)
	p.mutex.Lock()
	p.gone = true
	p.mutex.Unlock()
	close(p.ended)
	_ = p.Close() // the agent removes leftovers
}

// Status is a driver status: whether the kubelet has registered the proxy, and the forwarded calls. Its problem is
// that the driver has ended, could not be killed, or its resource use is unreadable.
func (p *Proxy) Status() spec.DriverStatus {
	use, unseen := p.use()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	s := spec.DriverStatus{Registered: p.registered && p.refusal == "", RegistrationError: p.refusal, Calls: p.script.Calls(), Process: use}
	switch {
	case p.notKilled != nil:
		s.Problem = fmt.Sprintf("the driver could not be killed after it had answered: %v", p.notKilled)
	case p.gone:
		s.Problem = spec.DriverEnded
	case unseen != nil:
		s.Problem = fmt.Sprintf("the driver's resource usage cannot be read: %v", unseen)
	}
	return s
}

// use is the resource use of the driver's process, nil if not measured.
func (p *Proxy) use() (*spec.ProcessUse, error) {
	if !p.config.Proxy.Measure {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), connecting)
	defer cancel()
	conn, err := nodefiles.Dial(ctx, p.path, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	use, err := p.config.Use(conn)
	return &use, err
}

// Close removes the proxy. The kubelet then calls the driver itself.
func (p *Proxy) Close() error { return p.closing() }

func (p *Proxy) remove() error {
	// The registration goes first, so the kubelet stops calling the proxy.
	for _, server := range slices.Backward(p.servers) {
		server.Stop()
	}
	var errs []error
	if p.real != nil {
		errs = append(errs, p.real.Close())
	}
	if p.dir != "" {
		errs = append(errs, os.RemoveAll(p.dir))
	}
	return errors.Join(errs...)
}

// RemoveLeftovers removes the files of killed proxies.
func RemoveLeftovers(registryDir, pluginsDir string) error {
	var errs []error
	for _, dir := range []string{registryDir, pluginsDir} {
		left, err := filepath.Glob(filepath.Join(dir, nodefiles.ProxyPrefix+"*"))
		errs = append(errs, err)
		for _, path := range left {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

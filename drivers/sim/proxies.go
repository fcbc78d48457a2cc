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
	"maps"
	"path/filepath"
	"slices"

	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/drivers/sim/proxy"
	"github.com/dra-conformance/dratest/framework/spec"
)

func (a *Agent) startProxy(ctx context.Context, driver string, config spec.Proxy) error {
	if err := a.stopProxy(driver); err != nil {
		return err
	}
	p, err := proxy.Start(ctx, proxy.Config{
		Driver: driver, RegistryDir: a.config.registryDir(), PluginsDir: a.config.pluginsDir(), Root: a.config.HostRoot, Proxy: config, Kill: host.KillListener, Use: host.ListenerUse,
	})
	if err != nil {
		return err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.proxies == nil {
		a.proxies = map[string]*proxy.Proxy{}
	}
	a.proxies[driver] = p
	return nil
}

func (a *Agent) proxyStatus(driver string) (spec.DriverStatus, error) {
	a.mutex.Lock()
	p := a.proxies[driver]
	a.mutex.Unlock()
	if p == nil {
		return spec.DriverStatus{}, fmt.Errorf("%w: there is no proxy before %s", ErrNotFound, driver)
	}
	return p.Status(), nil
}

func (a *Agent) stopProxy(driver string) error {
	a.mutex.Lock()
	p := a.proxies[driver]
	delete(a.proxies, driver)
	a.mutex.Unlock()
	if p == nil {
		return nil
	}
	return p.Close()
}

func (a *Agent) stopProxies() error {
	a.mutex.Lock()
	drivers := slices.Collect(maps.Keys(a.proxies))
	a.mutex.Unlock()
	var errs []error
	for _, driver := range drivers {
		errs = append(errs, a.stopProxy(driver))
	}
	return errors.Join(errs...)
}

func (c Config) pluginsDir() string { return filepath.Join(c.KubeletRoot, "plugins") }

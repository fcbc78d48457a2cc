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

package controlplane

import (
	"errors"
	"fmt"
	"net"

	"github.com/dra-conformance/dratest/clusters"
)

// freePorts returns one free loopback port per name. If another program takes one before its use, the start is
// retried.
func freePorts(names []string) (_ map[string]int, err error) {
	ports := map[string]int{}
	var held []net.Listener
	defer func() {
		for _, l := range held {
			err = errors.Join(err, l.Close())
		}
	}()
	for _, name := range names {
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0")) //nolint:noctx // it does not wait
		if err != nil {
			return nil, fmt.Errorf("%w: find a free port for %s: %w: end what uses so many ports of %s", clusters.ErrEnvironment, name, err, loopback)
		}
		held = append(held, l)
		address, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("find a free port for %s: %s is not a TCP address", name, l.Addr())
		}
		ports[name] = address.Port
	}
	return ports, nil
}

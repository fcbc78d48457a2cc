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
	"context"
	"fmt"
)

// Healthy returns an error unless a component of a running cluster is healthy. It supports programs
// serving /healthz at their own port: the scheduler, the controllers and the API server.
func (p *Provider) Healthy(ctx context.Context, name, program string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return err
	}
	if _, ok := r.Ports[program]; !ok {
		return fmt.Errorf("ask %s of cluster %q: it has no port", program, name)
	}
	a, err := s.connect(s.store.Kubeconfig(name))
	if err != nil {
		return err
	}
	return a.healthy(ctx, layout{ports: r.Ports}.url(program)+"/healthz")
}

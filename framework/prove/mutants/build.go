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

package mutants

import (
	"errors"
	"os"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BuildInto returns the changes of the components' source for some trials, and configures the new cluster with this
// project's components; a requested stack is kept for components without trials. Without mutants of components there
// are no changes.
func (s Set) BuildInto(c *clusters.Config, kubeconfig string, trials []prove.Trial) (map[string][]byte, error) {
	tried := slices.DeleteFunc(slices.Clone(s.Components), func(m components.Mutant) bool {
		return !slices.ContainsFunc(trials, func(t prove.Trial) bool { return t.ID == m.ID })
	})
	if len(tried) == 0 {
		return nil, nil
	}
	stack, err := clusters.ParseStack(string(spec.Own))
	if err != nil {
		return nil, err
	}
	if c.Provider == clusters.ProviderControlPlane {
		stack.Kubelet = ""
	}
	c.Stack = c.Stack.Over(stack)
	if kubeconfig != "" || len(c.Stack.KubeletNodes) > 0 || slices.ContainsFunc(tried, func(m components.Mutant) bool {
		return !m.OfCompanion && c.Stack.Of(m.Component()) != stack.Of(m.Component())
	}) {
		return nil, clusters.Usage(errors.New("mutants of components are built into this project's, in a cluster that is made: leave --kubeconfig out, and do not choose other components with --stack than these mutants are of, or use --only 'driver-*'"))
	}
	root, err := own.Checkout("mutants of components need a checkout of dratest around the working directory: run it in one, or use --only 'driver-*'")
	if err != nil {
		return nil, err
	}
	return components.Overlay(os.DirFS(root), s.Components)
}

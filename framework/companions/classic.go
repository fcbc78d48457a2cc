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

package companions

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// classicDRA has schedulers and drivers for allocation by drivers (KEP-3063).
func classicDRA() testbed.Companion {
	return testbed.Companion{
		Name:         classicdra.Companion,
		Skip:         "ClassicNotAvailable",
		NoKubeconfig: "starts local schedulers and drivers: run dratest from outside of the cluster, with --kubeconfig",
		NoProgram:    "starts dra-scheduler and dra-classic-driver, not installed",
		Lacks: func(_ spec.Needs, target spec.Target) string {
			if !target.Disruptable {
				return "installs definitions and admission policies of classic DRA for the whole cluster: allow it with --disruptive"
			}
			return ""
		},
		Find: func(ctx context.Context, b *testbed.Testbed, overlay map[string][]byte) (any, error) {
			programs, err := classic.Find(ctx, images.Local{Progress: b.Progress, Overlay: overlay})
			programs.Kubeconfig, programs.Context = b.Kubeconfig, b.Context
			return programs, err
		},
		Decode: testbed.Decoded[classic.Programs],
		Install: func(ctx context.Context, b *testbed.Testbed, client any) (remove func(context.Context) error, reason string) {
			if b.Provider == testbed.Existing {
				if err := access.Check(ctx, b.Client, classic.Rules()); err != nil {
					return func(context.Context) error { return nil }, fmt.Sprintf("installs definitions and admission policies of classic DRA: %v", err)
				}
			}
			remove, err := client.(classic.Programs).Install(ctx, b.REST)
			if err != nil {
				reason = fmt.Sprintf("the definitions of classic DRA could not be installed: %v", err)
			}
			return remove, reason
		},
		Tidy: classic.LetGo,
	}
}

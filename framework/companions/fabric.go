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

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// composableFabric is a device fabric with the controller attaching its devices to nodes (KEP-5007).
func composableFabric() testbed.Companion {
	return testbed.Companion{
		Name:         casefabric.Companion,
		Skip:         "FabricNotAvailable",
		NoKubeconfig: "starts a local controller: run dratest from outside of the cluster, with --kubeconfig",
		NoProgram:    "starts dra-composable-controller, not installed",
		Find: func(ctx context.Context, b *testbed.Testbed, overlay map[string][]byte) (any, error) {
			program, _, err := images.Local{Progress: b.Progress, Overlay: overlay}.OwnProgram(ctx, "dra-composable-controller")
			return fabric.Fabrics{Program: program, Kubeconfig: b.Kubeconfig, Context: b.Context}, err
		},
		Decode: testbed.Decoded[fabric.Fabrics],
	}
}

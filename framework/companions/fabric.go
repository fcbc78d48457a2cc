package companions

import (
	"context"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// composableFabric is a fabric of devices and the controller that attaches them to nodes (KEP-5007).
func composableFabric() testbed.Companion {
	return testbed.Companion{
		Name:         spec.FabricCompanion,
		Skip:         "FabricNotAvailable",
		NoKubeconfig: "starts a controller as a process beside dratest, which needs a kubeconfig: run dratest from outside of the cluster, with --kubeconfig",
		NoProgram:    "starts dra-composable-controller, which is not there",
		Find: func(ctx context.Context, b *testbed.Testbed, overlay map[string][]byte) (any, error) {
			program, _, err := images.Local{Progress: b.Progress, Overlay: overlay}.OwnProgram(ctx, "dra-composable-controller")
			return fabric.Fabrics{Program: program, Kubeconfig: b.Kubeconfig, Context: b.Context}, err
		},
		Decode: testbed.Decoded[fabric.Fabrics],
	}
}

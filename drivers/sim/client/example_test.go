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

package client_test

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// docs/dra-sim.md shows this function.
func Example() {
	ctx, node := context.Background(), "worker-1"
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	kube, err := kubernetes.NewForConfig(config)
	check(err)

	// Agents on all nodes, in the namespace dratest-system.
	check(deploy.Install(ctx, kube, deploy.Config{Image: "registry.example.com/dra/dra-sim:1"}))
	defer func() { check(deploy.Uninstall(ctx, kube)) }()
	check(deploy.WaitReady(ctx, kube, []string{node}))
	agents, err := client.New(config)
	check(err)
	defer agents.Close()

	// A driver with four devices on one node.
	driver := spec.DriverConfig{Name: "gpu.example.com", Profile: profiles.FourDevices()}
	check(agentapi.Start(ctx, agents, node, driver))
	defer func() { check(agentapi.Stop(ctx, agents, node, driver.Name)) }()

	// The next two NodePrepareResources calls for the claim "claim" fail.
	faults := []spec.Fault{{Method: spec.Prepare, Kind: spec.FaultClaimError, Claim: "claim", Times: 2, Message: "no power"}}
	check(agentapi.Change(ctx, agents, node, driver.Name, spec.DriverChange{Faults: &faults}))

	// Create a DeviceClass, a claim and a pod here, then look at the calls of the kubelet.
	status, err := agentapi.Status(ctx, agents, node, driver.Name)
	check(err)
	for _, call := range status.Calls {
		fmt.Println(call.Start, call.Method, call.Took, call.Error)
		for _, claim := range call.Claims {
			fmt.Println("  ", claim.Namespace, claim.Name, claim.CDIDevices, claim.Error)
		}
	}
}

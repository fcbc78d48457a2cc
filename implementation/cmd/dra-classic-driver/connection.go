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

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// connection identifies a driver and its cluster.
type connection struct {
	kubeconfig, name string
	// qps and burst are the rate limits of each client.
	qps   float32
	burst int
}

func (c *connection) flags(flags *pflag.FlagSet) {
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "Path to a kubeconfig file. If empty, the pod's service account is used.")
	flags.StringVar(&c.name, "driver-name", "test-driver.example.com", "The driver name in ResourceClasses.")
	flags.Float32Var(&c.qps, "kube-api-qps", 100, "QPS to the API server, separately for Kubernetes' objects and those of classic DRA. A pod with a claim needs three requests.")
	flags.IntVar(&c.burst, "kube-api-burst", 200, "Burst to the API server.")
}

// validate returns all errors in the flags.
func (c *connection) validate() error {
	var errs []error
	for _, problem := range validation.IsDNS1123Subdomain(c.name) {
		errs = append(errs, fmt.Errorf("--driver-name %q: %s", c.name, problem))
	}
	if c.qps <= 0 || c.burst < 1 {
		errs = append(errs, errors.New("--kube-api-qps and --kube-api-burst must be greater than 0"))
	}
	return errors.Join(errs...)
}

// clients are the clients for a cluster and its parameter readers.
type clients struct {
	kube    kubernetes.Interface
	classic client.Interface
	objects *parametersref.Reader
}

func (c *connection) clients() (clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		return clients{}, fmt.Errorf("find the API server: %w", err)
	}
	config = rest.AddUserAgent(config, "dra-classic-driver")
	config.QPS, config.Burst = c.qps, c.burst
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return clients{}, fmt.Errorf("make a client: %w", err)
	}
	anything, err := dynamic.NewForConfig(config)
	if err != nil {
		return clients{}, fmt.Errorf("make a client for parameters: %w", err)
	}
	classic, err := client.New(config)
	return clients{kube, classic, parametersref.New(anything, kube.Discovery())}, err
}

// deviceFlags adds the flags for devices and their nodes.
func deviceFlags(flags *pflag.FlagSet, d *sampledriver.Config) {
	flags.IntVar(&d.Devices, "devices", 1, "The number of devices per node, or in total with --network.")
	flags.BoolVar(&d.Network, "network", false, "Devices are attached to a network reachable from all selected nodes, not to nodes.")
	flags.StringVar(&d.Nodes, "nodes", "", "A label selector for nodes with (access to) devices. If empty, all nodes are selected.")
	flags.StringVar(&d.StateFile, "state-file", "", "A file recording allocated devices. Without it, a restarted driver may allocate devices twice.")
	flags.StringSliceVar(&d.Refuse, "refuse-nodes", nil, "Names of nodes to report as unsuitable.")
}

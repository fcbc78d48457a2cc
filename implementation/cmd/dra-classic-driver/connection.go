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
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "A file that says how to reach the API server. Without it, the service account of the pod is used.")
	flags.StringVar(&c.name, "driver-name", "test-driver.example.com", "The name of the driver, as in ResourceClasses.")
	flags.Float32Var(&c.qps, "kube-api-qps", 100, "How many requests a second are sent to the API server: for objects of Kubernetes, and as many for those of classic DRA. A pod with a claim takes three.")
	flags.IntVar(&c.burst, "kube-api-burst", 200, "How many of them are sent at once after a pause.")
}

// validate returns all errors in the flags.
func (c *connection) validate() error {
	var errs []error
	for _, problem := range validation.IsDNS1123Subdomain(c.name) {
		errs = append(errs, fmt.Errorf("--driver-name %q: %s", c.name, problem))
	}
	if c.qps <= 0 || c.burst < 1 {
		errs = append(errs, errors.New("--kube-api-qps and --kube-api-burst must be larger than 0"))
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
	flags.IntVar(&d.Devices, "devices", 1, "How many devices there are: on each node, or in the network.")
	flags.BoolVar(&d.Network, "network", false, "The devices are in a network that all selected nodes reach, not in nodes.")
	flags.StringVar(&d.Nodes, "nodes", "", "A label selector for the nodes with devices, or those that reach them. Empty selects all.")
	flags.StringVar(&d.StateFile, "state-file", "", "Where it is kept who has which device. Without it, after a restart, devices are given away that claims have still.")
	flags.StringSliceVar(&d.Refuse, "refuse-nodes", nil, "Names of nodes to call unsuitable.")
}

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

package app

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/metrics/legacyregistry"
	genericapp "k8s.io/controller-manager/app"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
)

// Controller is run by the leader.
type Controller interface {
	// Run works with this number of workers until ctx ends, and returns when they have stopped.
	Run(ctx context.Context, workers int)
	HasSynced() bool
}

// Descriptor describes a controller before it is created.
type Descriptor struct {
	Name, Alias string
	// WorkersFlag sets the number of workers; Workers is the default.
	WorkersFlag, WorkersHelp string
	Workers                  int
	New                      func(context.Context, kubernetes.Interface, informers.SharedInformerFactory) (Controller, error)
}

// Program is a command running controllers.
type Program struct {
	// Name of the command, its Lease and its clients.
	Name string
	// Long is the beginning of the help text.
	Long string
	// Port is the default port.
	Port int
	// Controllers are the available controllers.
	Controllers []Descriptor
	// Flags adds the program's own flags; nil adds none.
	Flags func(*cliflag.NamedFlagSets)
	// Validate returns errors in these flags.
	Validate func() error
}

// controllerManager has the names, flags and port of kube-controller-manager. Both can only run with
// the default port in separate networks or on separate nodes.
func controllerManager() Program {
	return Program{
		Name: name,
		Long: "dra-controller-manager runs the controllers of dynamic resource allocation (DRA): it creates ResourceClaims\n" +
			"from templates, cleans up after pods, and evicts pods from devices with NoExecute taints. Disable these\n" +
			"controllers in kube-controller-manager.",
		Port: 10257,
		Controllers: []Descriptor{{
			Name: resourceclaim.Name, Alias: "resource-claim-controller", New: newResourceClaim, Workers: 50,
			WorkersFlag: "concurrent-resourceclaim-syncs",
			WorkersHelp: "The number of pods and ResourceClaims synced concurrently.",
		}, {
			Name: tainteviction.Name, New: newTaintEviction, Workers: 8,
			WorkersFlag: "concurrent-device-taint-eviction-syncs",
			WorkersHelp: "The number of pod evictions and DeviceTaintRules processed concurrently.",
		}},
	}
}

func newResourceClaim(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (Controller, error) {
	c, err := resourceclaim.New(ctx, client, factory)
	if err != nil {
		return nil, err
	}
	c.Register(legacyregistry.MustRegister, legacyregistry.CustomMustRegister)
	return c, nil
}

func newTaintEviction(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (Controller, error) {
	served, err := client.Discovery().ServerResourcesForGroupVersion(resourceapi.SchemeGroupVersion.String())
	if err != nil {
		return nil, fmt.Errorf("ask the API server for what it serves: %w", err)
	}
	rules := slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "devicetaintrules" })
	if !rules {
		klog.FromContext(ctx).Info("The API server has no DeviceTaintRules: only taints in ResourceSlices count")
	}
	c, err := tainteviction.New(ctx, client, factory, tainteviction.Config{NoRules: !rules})
	if err != nil {
		return nil, err
	}
	c.Register(legacyregistry.MustRegister)
	return c, nil
}

func (p Program) controllerNames() []string {
	var names []string
	for _, c := range p.Controllers {
		names = append(names, c.Name)
	}
	return names
}

func (p Program) aliases() map[string]string {
	all := make(map[string]string)
	for _, c := range p.Controllers {
		if c.Alias != "" {
			all[c.Alias] = c.Name
		}
	}
	return all
}

// running is a controller and its number of workers.
type running struct {
	Controller
	name    string
	workers int
}

// chosen are the controllers selected by --controllers.
func (p Program) chosen(controllers []string) []Descriptor {
	return slices.DeleteFunc(slices.Clone(p.Controllers), func(d Descriptor) bool {
		return !genericapp.IsControllerEnabled(d.Name, sets.NewString(), controllers)
	})
}

// build creates the chosen controllers, once per process.
func (m *manager) build(ctx context.Context, factory informers.SharedInformerFactory) ([]running, error) {
	var all []running
	for _, d := range m.descriptors {
		made, err := d.New(ctx, m.client, factory)
		if err != nil {
			return nil, fmt.Errorf("set up %s: %w", d.Name, err)
		}
		all = append(all, running{made, d.Name, *m.workers[d.Name]})
	}
	return all, nil
}

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
	"k8s.io/component-base/metrics/legacyregistry"
	genericapp "k8s.io/controller-manager/app"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
)

// controller is one that the leader runs.
type controller interface {
	// Run works with so many workers until ctx ends, and returns when they have stopped.
	Run(ctx context.Context, workers int)
	HasSynced() bool
}

// descriptor is what is known of a controller before it exists.
type descriptor struct {
	name, alias string
	// workersFlag says how many workers it has; workers is the default.
	workersFlag, workersHelp string
	workers                  int
	new                      func(context.Context, kubernetes.Interface, informers.SharedInformerFactory) (controller, error)
}

// known are the controllers, with the names and flags of kube-controller-manager.
func known() []descriptor {
	return []descriptor{{
		name: resourceclaim.Name, alias: "resource-claim-controller", new: newResourceClaim, workers: 50,
		workersFlag: "concurrent-resourceclaim-syncs",
		workersHelp: "How many pods and ResourceClaims are looked at concurrently.",
	}, {
		name: tainteviction.Name, new: newTaintEviction, workers: 8,
		workersFlag: "concurrent-device-taint-eviction-syncs",
		workersHelp: "How many pods are evicted, or DeviceTaintRules looked at, concurrently.",
	}}
}

func newResourceClaim(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (controller, error) {
	c, err := resourceclaim.New(ctx, client, factory)
	if err != nil {
		return nil, err
	}
	c.Register(legacyregistry.MustRegister, legacyregistry.CustomMustRegister)
	return c, nil
}

func newTaintEviction(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (controller, error) {
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

func controllerNames() []string {
	var names []string
	for _, c := range known() {
		names = append(names, c.name)
	}
	return names
}

func aliases() map[string]string {
	all := make(map[string]string)
	for _, c := range known() {
		if c.alias != "" {
			all[c.alias] = c.name
		}
	}
	return all
}

// running is a controller together with the number of its workers.
type running struct {
	controller
	name    string
	workers int
}

// chosen are the controllers that --controllers asks for.
func chosen(controllers []string) []descriptor {
	return slices.DeleteFunc(known(), func(d descriptor) bool {
		return !genericapp.IsControllerEnabled(d.name, sets.NewString(), controllers)
	})
}

// build makes the controllers that were chosen, once in a process's life.
func (m *manager) build(ctx context.Context, factory informers.SharedInformerFactory) ([]running, error) {
	var all []running
	for _, d := range m.descriptors {
		made, err := d.new(ctx, m.client, factory)
		if err != nil {
			return nil, fmt.Errorf("set up %s: %w", d.name, err)
		}
		all = append(all, running{made, d.name, *m.workers[d.name]})
	}
	return all, nil
}

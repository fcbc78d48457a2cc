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
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-controller-manager/app"
	"github.com/dra-conformance/dratest/implementation/controllers/composable"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

const (
	// cordonFor is the time an idle device published by a driver stays tainted before it is detached: much
	// longer than schedulers need to see the taint.
	cordonFor = 5 * time.Second
	// answerTime is the fabric's response timeout, not including the attachment.
	answerTime = 10 * time.Second
)

// What happens to a pod after its device was attached.
const (
	reschedule = "reschedule"
	bind       = "bind"
)

// options are the flags specific to this command.
type options struct {
	driver, fabric, url, tokenFile, caFile string
	nodes, whenAttached                    string
	refresh, detachAfter, bindingTimeout   time.Duration
	refreshAfterActs                       bool
}

func program(o *options) app.Program {
	return app.Program{
		Name: "dra-composable-controller",
		Long: "dra-composable-controller connects a cluster to a device fabric shared by several clusters (KEP-5007). It\n" +
			"publishes the fabric's free devices as ResourceSlices, one pool per model, with anonymous slots as devices.\n" +
			"For each allocated slot it attaches a device, reports success or failure to the scheduler in the claim's\n" +
			"status, and detaches devices no pod uses.\n\n" +
			"The fabric is dra-fabric or any service with the same API. The API server must serve DeviceTaintRules\n" +
			"(resource.k8s.io/v1), and the scheduler needs the DRADeviceBindingConditions feature.",
		Port: 10269,
		Controllers: []app.Descriptor{{
			Name: composable.Name, New: o.controller, Workers: 10,
			WorkersFlag: "concurrent-claim-syncs", WorkersHelp: "The number of ResourceClaims synced concurrently.",
		}},
		Flags:    o.flags,
		Validate: func() error { _, err := o.config(); return err },
	}
}

func (o *options) flags(sets *cliflag.NamedFlagSets) {
	flags := sets.FlagSet("fabric")
	flags.StringVar(&o.driver, "driver-name", "", "The name of the DRA driver on the nodes. Free devices are published under it.")
	flags.StringVar(&o.fabric, "fabric-name", "fabric", "The name of the fabric, a DNS label. Pools are named NAME/MODEL.")
	flags.StringVar(&o.url, "fabric-url", "", "The URL of the fabric, for example https://fabric.example:8443.")
	flags.StringVar(&o.tokenFile, "fabric-token-file", "", "A file with the bearer token for the fabric, read again for each request.")
	flags.StringVar(&o.caFile, "fabric-ca-file", "", "A file with the certificate authority of the fabric. If empty, the host's root CAs are used.")
	flags.StringVar(&o.nodes, "fabric-nodes", "", "A label selector for nodes connected to the fabric, for example fabric=fabric1. If empty, all nodes are selected.")
	flags.StringVar(&o.whenAttached, "when-attached", reschedule,
		"What to do with a pod after its device was attached: \"reschedule\" aborts binding when the driver on the node publishes the device as a "+
			"local one, and the pod gets that device; \"bind\" binds the pod with its slot, and the driver finds the device in the claim's status.")
	flags.DurationVar(&o.refresh, "refresh-period", 10*time.Second, "The period between two queries of the fabric's free devices.")
	flags.BoolVar(&o.refreshAfterActs, "refresh-after-acts", false,
		"Also query the fabric after attaching or detaching a device, to offer fewer stale slots. KEP-5007 only describes the period.")
	flags.DurationVar(&o.detachAfter, "detach-after", 5*time.Minute, "How long a device must be unclaimed before it is detached. Should exceed the scheduling time of pods.")
	flags.DurationVar(&o.bindingTimeout, "binding-timeout", 0,
		"How long dra-scheduler waits for a device. 0 uses the scheduler's configuration, as other schedulers always do.")
}

// config converts the flags and returns all their errors.
func (o *options) config() (composable.Config, error) {
	c := composable.Config{
		Config: fabricplan.Config{
			Driver: o.driver, Fabric: o.fabric, Reschedule: o.whenAttached == reschedule,
			DetachAfter: o.detachAfter, CordonFor: cordonFor, BindingTimeout: o.bindingTimeout,
		},
		Refresh: o.refresh, RefreshAfterActs: o.refreshAfterActs,
	}
	var errs []error
	if u, err := url.Parse(o.url); err != nil || u.Scheme != "https" || u.Host == "" {
		errs = append(errs, fmt.Errorf("--fabric-url must be given, as https://fabric.example:8443, got %q", o.url))
	}
	if o.driver == "" {
		errs = append(errs, errors.New("--driver-name must be given"))
	}
	if o.tokenFile == "" {
		errs = append(errs, errors.New("--fabric-token-file must be given"))
	}
	if o.whenAttached != reschedule && o.whenAttached != bind {
		errs = append(errs, fmt.Errorf("--when-attached must be %s or %s, got %q", reschedule, bind, o.whenAttached))
	}
	if o.refresh <= 0 || o.detachAfter <= 0 {
		errs = append(errs, errors.New("--refresh-period and --detach-after must be greater than 0"))
	}
	var err error
	if c.Nodes, err = nodeSelector(o.nodes); err != nil {
		errs = append(errs, err)
	}
	if o.driver != "" {
		errs = append(errs, c.Validate())
	}
	return c, errors.Join(errs...)
}

// nodeSelector converts a label selector to the slices' format; nil means all nodes.
func nodeSelector(text string) (*corev1.NodeSelector, error) {
	selector, err := metav1.ParseToLabelSelector(text)
	if err != nil {
		return nil, fmt.Errorf("--fabric-nodes: %w", err)
	}
	var term corev1.NodeSelectorTerm
	for _, e := range selector.MatchExpressions {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: e.Key, Operator: corev1.NodeSelectorOperator(e.Operator), Values: e.Values})
	}
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{selector.MatchLabels[key]}})
	}
	if len(term.MatchExpressions) == 0 {
		return nil, nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}, nil
}

// controller creates the controller from the flags.
func (o *options) controller(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (app.Controller, error) {
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.caFile != "" {
		data, err := os.ReadFile(o.caFile)
		if err != nil {
			return nil, fmt.Errorf("read the fabric's certificate authority: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("read the fabric's certificate authority: %s has no certificate in PEM", o.caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	fabric := composable.Manager{Base: o.url, TokenFile: o.tokenFile, HTTP: &http.Client{Transport: transport, Timeout: answerTime}}
	c, err := composable.New(ctx, client, factory, fabric, config)
	if err != nil {
		return nil, err
	}
	c.Register(legacyregistry.MustRegister)
	return c, nil
}

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
	"errors"
	"fmt"
	"net"
	"time"

	apiserver "k8s.io/apiserver/pkg/server"
	apiserveroptions "k8s.io/apiserver/pkg/server/options"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/version/verflag"
	cmconfig "k8s.io/controller-manager/config"
	cmconfigv1alpha1 "k8s.io/controller-manager/config/v1alpha1"
	cmoptions "k8s.io/controller-manager/options"
)

const name = "dra-controller-manager"

// options are the flags, named as in kube-controller-manager.
type options struct {
	program         Program
	generic         *cmoptions.GenericControllerManagerConfigurationOptions
	serving         *apiserveroptions.SecureServingOptionsWithLoopback
	authentication  *apiserveroptions.DelegatingAuthenticationOptions
	authorization   *apiserveroptions.DelegatingAuthorizationOptions
	metrics         *metrics.Options
	logs            *logs.Options
	master          string
	workers         map[string]*int
	shutdownTimeout time.Duration
}

func newOptions(p Program) (*options, error) {
	if err := addLoggingGates(); err != nil {
		return nil, err
	}
	var versioned cmconfigv1alpha1.GenericControllerManagerConfiguration
	cmconfigv1alpha1.RecommendedDefaultGenericControllerManagerConfiguration(&versioned)
	var generic cmconfig.GenericControllerManagerConfiguration
	if err := cmconfigv1alpha1.Convert_v1alpha1_GenericControllerManagerConfiguration_To_config_GenericControllerManagerConfiguration(&versioned, &generic, nil); err != nil {
		return nil, fmt.Errorf("convert the default configuration: %w", err)
	}
	generic.LeaderElection.ResourceName = p.Name
	generic.LeaderElection.ResourceNamespace = "kube-system"
	o := &options{
		program:         p,
		generic:         cmoptions.NewGenericControllerManagerConfigurationOptions(&generic),
		serving:         apiserveroptions.NewSecureServingOptions().WithLoopback(),
		authentication:  apiserveroptions.NewDelegatingAuthenticationOptions(),
		authorization:   apiserveroptions.NewDelegatingAuthorizationOptions(),
		metrics:         metrics.NewOptions(),
		logs:            logs.NewOptions(),
		workers:         make(map[string]*int),
		shutdownTimeout: 10 * time.Second,
	}
	// There is nothing to migrate leadership from.
	o.generic.LeaderMigration = nil
	o.authentication.RemoteKubeConfigFileOptional = true
	o.authorization.RemoteKubeConfigFileOptional = true
	// As in kube-scheduler: a process started while the API server is down waits for it. The lookup not
	// repeated later only matters for aggregated API servers.
	o.authentication.TolerateInClusterLookupFailure = true
	// No directory: a missing certificate is generated in memory.
	o.serving.ServerCert.CertDirectory = ""
	o.serving.ServerCert.PairName = p.Name
	o.serving.BindPort = p.Port
	return o, nil
}

// addLoggingGates registers the feature gates of logging. A process has one set of gates, frozen once
// it is a flag.
func addLoggingGates() error {
	if _, known := utilfeature.DefaultMutableFeatureGate.GetAll()[logsapi.ContextualLogging]; known {
		return nil
	}
	return logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate)
}

func (o *options) flags() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets
	o.generic.AddFlags(&sets, o.program.controllerNames(), nil, o.program.aliases())
	o.serving.AddFlags(sets.FlagSet("secure serving"))
	o.authentication.AddFlags(sets.FlagSet("authentication"))
	o.authorization.AddFlags(sets.FlagSet("authorization"))
	o.metrics.AddFlags(sets.FlagSet("metrics"))
	logsapi.AddFlags(o.logs, sets.FlagSet("logs"))
	for _, c := range o.program.Controllers {
		o.workers[c.Name] = sets.FlagSet(c.Name).Int(c.WorkersFlag, c.Workers, c.WorkersHelp)
	}
	if o.program.Flags != nil {
		o.program.Flags(&sets)
	}
	generic := sets.FlagSet("generic")
	generic.DurationVar(&o.shutdownTimeout, "controller-shutdown-timeout", o.shutdownTimeout,
		"The grace period for controllers to stop after a termination signal.")
	utilfeature.DefaultMutableFeatureGate.AddFlag(generic)
	misc := sets.FlagSet("misc")
	misc.StringVar(&o.master, "master", "", "The address of the API server, instead of the one in the kubeconfig.")
	misc.StringVar(&o.generic.ClientConnection.Kubeconfig, "kubeconfig", o.generic.ClientConnection.Kubeconfig,
		"A file that says how to reach the API server. Without it, the service account of the pod is used.")
	verflag.AddFlags(sets.FlagSet("global"))
	globalflag.AddGlobalFlags(sets.FlagSet("global"), o.program.Name, logs.SkipLoggingConfigurationFlags())
	return sets
}

// validate returns all errors in the flags.
func (o *options) validate() error {
	errs := o.generic.Validate(o.program.controllerNames(), nil, o.program.aliases())
	errs = append(errs, o.serving.Validate()...)
	errs = append(errs, o.authentication.Validate()...)
	errs = append(errs, o.authorization.Validate()...)
	errs = append(errs, o.metrics.Validate()...)
	for _, c := range o.program.Controllers {
		if n := *o.workers[c.Name]; n <= 0 {
			errs = append(errs, fmt.Errorf("--%s must be greater than 0, got %d", c.WorkersFlag, n))
		}
	}
	if o.shutdownTimeout <= 0 {
		errs = append(errs, fmt.Errorf("--controller-shutdown-timeout must be greater than 0, got %s", o.shutdownTimeout))
	}
	if o.program.Validate != nil {
		errs = append(errs, o.program.Validate())
	}
	return errors.Join(errs...)
}

// config is the result of the flags.
type config struct {
	program         Program
	generic         cmconfig.GenericControllerManagerConfiguration
	kubeconfig      *rest.Config
	serving         *apiserver.SecureServingInfo
	authentication  apiserver.AuthenticationInfo
	authorization   apiserver.AuthorizationInfo
	workers         map[string]*int
	shutdownTimeout time.Duration
}

// config opens the port and reads the files of the flags. It fails on invalid flags, files or port.
func (o *options) config() (*config, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &config{program: o.program, workers: o.workers, shutdownTimeout: o.shutdownTimeout}
	if err := o.generic.ApplyTo(&c.generic, o.program.controllerNames(), nil, o.program.aliases()); err != nil {
		return nil, err
	}
	o.metrics.Apply()
	if err := o.clientConfig(c); err != nil {
		return nil, err
	}
	return c, o.server(c)
}

func (o *options) clientConfig(c *config) error {
	kubeconfig, err := clientcmd.BuildConfigFromFlags(o.master, c.generic.ClientConnection.Kubeconfig)
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	kubeconfig.DisableCompression = true
	kubeconfig.AcceptContentTypes = c.generic.ClientConnection.AcceptContentTypes
	kubeconfig.ContentType = c.generic.ClientConnection.ContentType
	kubeconfig.QPS = c.generic.ClientConnection.QPS
	kubeconfig.Burst = int(c.generic.ClientConnection.Burst)
	c.kubeconfig = kubeconfig
	return nil
}

// server prepares serving; port 0 disables it.
func (o *options) server(c *config) error {
	if err := o.serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return fmt.Errorf("make a certificate: %w", err)
	}
	var loopback *rest.Config
	if err := o.serving.ApplyTo(&c.serving, &loopback); err != nil {
		return fmt.Errorf("open the port: %w", err)
	}
	if c.serving == nil {
		return nil
	}
	if err := o.authentication.ApplyTo(&c.authentication, c.serving, nil); err != nil {
		return fmt.Errorf("set up authentication: %w", err)
	}
	if err := o.authorization.ApplyTo(&c.authorization); err != nil {
		return fmt.Errorf("set up authorization: %w", err)
	}
	return nil
}

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
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

type options struct {
	connection

	namespace string
	elect     bool
	workers   int
	driver    sampledriver.Config
	logs      *logsapi.LoggingConfiguration
}

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:          "dra-classic-driver",
		Short:        "A classic DRA driver for trials and tests",
		SilenceUsage: true,
	}
	cmd.AddCommand(controllerCommand(), simulateCommand(), definitionsCommand())
	return cmd
}

func controllerCommand() *cobra.Command {
	o := &options{logs: logsapi.NewLoggingConfiguration()}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Allocate claims of the driver's ResourceClasses",
		Long: "controller allocates claims of the driver's ResourceClasses, either at creation or (default) after a scheduler\n" +
			"with classic DRA has selected a node for a pod. Claims and classes may reference a parameters object: the data\n" +
			"of a ConfigMap, or the spec of any other kind readable by the driver. Parameters: userLimit is the number of\n" +
			"pods allowed to use the claim (-1 for no limit), optional: \"true\" allocates the claim without a device if none\n" +
			"is free, allocateTakes is the duration of an allocation and failAllocate the number of initial failures.\n" +
			"Everything else is passed to containers.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logs.InitLogs()
			if err := logsapi.ValidateAndApply(o.logs, nil); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			return o.run(withSignals(cmd.Context()))
		},
	}
	flags, d := cmd.Flags(), &o.driver
	o.flags(flags)
	deviceFlags(flags, d)
	flags.IntVar(&o.workers, "workers", 10, "The number of claims and pods synced concurrently.")
	flags.BoolVar(&o.elect, "leader-elect", false, "Use leader election with a Lease named after the driver.")
	flags.StringVar(&o.namespace, "namespace", "kube-system", "The namespace of the Lease.")
	flags.IntVar(&d.FailAllocate, "fail-allocate", 0, "The number of allocations to fail first; -1 fails all.")
	flags.IntVar(&d.FailDeallocate, "fail-deallocate", 0, "The number of deallocations to fail first; -1 fails all.")
	flags.DurationVar(&d.Takes, "allocate-takes", 0, "The duration of an allocation.")
	logsapi.AddFlags(o.logs, flags)
	return cmd
}

// validate returns all errors in the flags.
func (o *options) validate() error {
	errs := []error{o.connection.validate()}
	if o.workers < 1 {
		errs = append(errs, errors.New("--workers must be greater than 0"))
	}
	return errors.Join(append(errs, o.driver.Validate())...)
}

// run works until ctx ends.
func (o *options) run(ctx context.Context) error {
	cluster, err := o.clients()
	if err != nil {
		return err
	}
	if !o.elect {
		return o.work(ctx, cluster)
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find a name for this process: %w", err)
	}
	var failed error
	lease := controller.Lease{Namespace: o.namespace, Name: o.name, Identity: host + "-" + strconv.Itoa(os.Getpid())}
	err = controller.Lead(ctx, cluster.kube, lease, func(ctx context.Context) { failed = o.work(ctx, cluster) })
	return errors.Join(err, failed)
}

func (o *options) work(ctx context.Context, cluster clients) error {
	factory := informers.NewSharedInformerFactory(cluster.kube, 0)
	driver, err := sampledriver.New(o.driver, cluster.objects, factory.Core().V1().Nodes().Lister())
	if err != nil {
		return err
	}
	nodes := factory.Core().V1().Nodes().Informer()
	c, err := controller.New(ctx, o.name, driver, cluster.kube, cluster.classic, factory)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !waitFor(ctx, nodes) {
		return nil
	}
	c.Run(ctx, o.workers)
	return nil
}

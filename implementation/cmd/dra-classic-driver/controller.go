package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// options are the flags.
type options struct {
	kubeconfig, name, namespace string
	elect                       bool
	workers                     int
	driver                      sampledriver.Config
	logs                        *logsapi.LoggingConfiguration
}

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:          "dra-classic-driver",
		Short:        "A classic DRA driver to try and to test with",
		SilenceUsage: true,
	}
	cmd.AddCommand(controllerCommand(), definitionsCommand())
	return cmd
}

func controllerCommand() *cobra.Command {
	o := &options{logs: logsapi.NewLoggingConfiguration()}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Allocate claims of the ResourceClasses that name the driver",
		Long: "controller allocates claims of the ResourceClasses that name the driver: when they are created or, which is\n" +
			"the default, when a scheduler with classic DRA has selected a node for a pod. Claims and classes may name a\n" +
			"ConfigMap with parameters: userLimit says how many pods may use the claim (-1: any number), optional: \"true\"\n" +
			"allocates it without a device where none is free; allocateTakes and failAllocate say how long it takes and how\n" +
			"often it fails at first; everything else is for containers.",
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
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "A file that says how to reach the API server. Without it, the service account of the pod is used.")
	flags.StringVar(&o.name, "driver-name", "test-driver.example.com", "The name of the driver, as in ResourceClasses.")
	flags.IntVar(&o.workers, "workers", 10, "How many claims and pods are looked at concurrently.")
	flags.BoolVar(&o.elect, "leader-elect", false, "Work only while this process has the Lease of the driver's name.")
	flags.StringVar(&o.namespace, "namespace", "kube-system", "The namespace of that Lease.")
	flags.IntVar(&d.Devices, "devices", 1, "How many devices there are: on each node, or in the network.")
	flags.BoolVar(&d.Network, "network", false, "The devices are in a network that all selected nodes reach, not in nodes.")
	flags.StringVar(&d.Nodes, "nodes", "", "A label selector for the nodes with devices, or those that reach them. Empty selects all.")
	flags.StringVar(&d.StateFile, "state-file", "", "Where it is kept who has which device. Without it, after a restart, devices are given away that claims have still.")
	flags.StringSliceVar(&d.Refuse, "refuse-nodes", nil, "Names of nodes to call unsuitable.")
	flags.IntVar(&d.FailAllocate, "fail-allocate", 0, "How many calls to allocate fail before one works; -1 for all.")
	flags.IntVar(&d.FailDeallocate, "fail-deallocate", 0, "How many calls to deallocate fail before one works; -1 for all.")
	flags.DurationVar(&d.Takes, "allocate-takes", 0, "How long allocating a device takes.")
	logsapi.AddFlags(o.logs, flags)
	return cmd
}

// validate returns all that is wrong with the flags.
func (o *options) validate() error {
	var errs []error
	for _, problem := range validation.IsDNS1123Subdomain(o.name) {
		errs = append(errs, fmt.Errorf("--driver-name %q: %s", o.name, problem))
	}
	if o.workers < 1 {
		errs = append(errs, errors.New("--workers must be larger than 0"))
	}
	return errors.Join(append(errs, o.driver.Validate())...)
}

// run works until ctx ends.
func (o *options) run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config = rest.AddUserAgent(config, "dra-classic-driver")
	config.QPS, config.Burst = 50, 100
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	classic, err := client.New(config)
	if err != nil {
		return err
	}
	if !o.elect {
		return o.work(ctx, kube, classic)
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find a name for this process: %w", err)
	}
	var failed error
	lease := controller.Lease{Namespace: o.namespace, Name: o.name, Identity: host + "-" + strconv.Itoa(os.Getpid())}
	err = controller.Lead(ctx, kube, lease, func(ctx context.Context) { failed = o.work(ctx, kube, classic) })
	return errors.Join(err, failed)
}

func (o *options) work(ctx context.Context, kube kubernetes.Interface, classic client.Interface) error {
	factory := informers.NewSharedInformerFactory(kube, 0)
	driver, err := sampledriver.New(o.driver, kube, factory.Core().V1().Nodes().Lister())
	if err != nil {
		return err
	}
	nodes := factory.Core().V1().Nodes().Informer()
	c, err := controller.New(ctx, o.name, driver, kube, classic, factory)
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

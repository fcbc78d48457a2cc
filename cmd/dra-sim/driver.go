package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim"
	"github.com/dra-conformance/dratest/drivers/sim/bugs"
	"github.com/dra-conformance/dratest/framework/spec"
)

// driverFlags are the flags of "dra-sim driver".
type driverFlags struct {
	sim.Config

	name, kubeconfig, bug string
	devices               int
	shared                bool
	previous              bool
}

func newDriverCommand() *cobra.Command {
	var f driverFlags
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Be one driver on this node until SIGTERM, as vendors ship them",
		Long: `Be one driver on this node until SIGTERM, as vendors ship them: without a control
port. What is prepared and published stays for the next process.

--bug breaks the driver in a way in which a published driver was broken:

` + bugList(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return drive(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.name, "name", "standalone.dra-conformance.github.io", "name of the driver")
	addNodeFlags(cmd.Flags(), &f.Config)
	cmd.Flags().IntVar(&f.devices, "devices", 4, "number of devices that one claim has at a time")
	cmd.Flags().BoolVar(&f.shared, "shared", true, "one device more, that several claims may have at a time")
	cmd.Flags().BoolVar(&f.previous, "previous", false, "be the previous release, which serves only v1beta1 of the plugin API")
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig (default: that of the pod)")
	cmd.Flags().StringVar(&f.bug, "bug", os.Getenv("DRA_SIM_BUG"), "name of a bug to have (default: $DRA_SIM_BUG)")
	return cmd
}

func bugList() string {
	list := ""
	for _, b := range bugs.All() {
		list += fmt.Sprintf("  %-26s %s\n  %-26s %s\n", b.Name, b.Issue, "", b.Story)
	}
	return list
}

func drive(ctx context.Context, f driverFlags) error {
	bug, err := bugs.Find(f.bug)
	if err != nil {
		return err
	}
	if f.Client, err = driverClient(f.kubeconfig); err != nil {
		return err
	}
	node, err := getNode(ctx, f.Client, f.NodeName)
	if err != nil {
		return err
	}
	f.NodeUID = node.UID
	config := spec.DriverConfig{Name: f.name, Profile: profiles.Devices(f.devices)}
	if f.shared {
		config.Profile = profiles.DevicesAndShared(f.devices)
	}
	bug.Inventory(&config.Profile)
	place := bugs.Place{
		Driver: f.name, CDIDir: f.CDIDir, StateDir: filepath.Join(f.KubeletRoot, "plugins", f.name), KubeletRoot: f.KubeletRoot, Client: f.Client, Release: 2,
	}
	if f.previous {
		place.Release, config.GRPC = 1, []spec.GRPCVersion{spec.GRPCv1beta1}
	}
	process := bug.Process()
	return sim.Standalone{
		Undivided: process.Undivided, Once: process.PublishesOnce, LeavesSockets: process.LeavesSockets, Intercept: process.Intercept(place),
		Around: func(d kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return bug.Around(place, d) },
	}.Run(ctx, f.Config, config)
}

func driverClient(kubeconfig string) (*kubernetes.Clientset, error) {
	if kubeconfig == "" {
		return inClusterClient()
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	return clientOf(config)
}

// clientOf makes a client without a limit of its own, which would make calls wait for one
// another.
func clientOf(config *rest.Config) (*kubernetes.Clientset, error) {
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return client, nil
}

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim"
	"github.com/dra-conformance/dratest/framework/spec"
)

func newDriverCommand() *cobra.Command {
	var config sim.Config
	var name string
	var devices int
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Be one driver on this node until SIGTERM, as a vendor's program is: without a control port",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return drive(cmd.Context(), config, spec.DriverConfig{Name: name, Profile: profiles.Devices(devices)})
		},
	}
	addNodeFlags(cmd.Flags(), &config)
	cmd.Flags().StringVar(&name, "name", "dra-sim.dra-conformance.github.io", "DRA driver name")
	cmd.Flags().IntVar(&devices, "devices", 4, "number of devices")
	return cmd
}

func drive(ctx context.Context, config sim.Config, driver spec.DriverConfig) error {
	client, err := inClusterClient()
	if err != nil {
		return err
	}
	node, err := getNode(ctx, client, config.NodeName)
	if err != nil {
		return err
	}
	config.Client, config.NodeUID = client, node.UID
	if err := sim.Drive(ctx, config, driver); err != nil {
		return fmt.Errorf("be driver %s: %w", driver.Name, err)
	}
	return nil
}

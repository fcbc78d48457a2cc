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
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim"
	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/drivers/sim/mutants/broken"
	"github.com/dra-conformance/dratest/framework/spec"
)

// driverFlags are the flags of "dra-sim driver".
type driverFlags struct {
	sim.Config

	name, kubeconfig, bug string
	devices, pools        int
	shared                bool
	metadata, status      bool
	classic               bool
	previous              bool
	// process is the UID of the pod, if several can run at a time.
	process string

	fabricURL, fabricToken, fabricCA, fabricName string
	rescan                                       time.Duration
}

func newDriverCommand() *cobra.Command {
	var f driverFlags
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Be one driver on this node until SIGTERM, as vendors ship them",
		Long: `Be one driver on this node until SIGTERM, as vendors ship them: without a control
port. What is prepared and published stays for the next process.

--bug breaks the driver, mostly in a way in which a published driver was broken, whose
issue is named then:

` + bugList(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return drive(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.name, "name", "standalone.dra-conformance.github.io", "name of the driver")
	addNodeFlags(cmd.Flags(), &f.Config)
	cmd.Flags().IntVar(&f.devices, "devices", 4, "number of devices that one claim has at a time")
	cmd.Flags().IntVar(&f.pools, "pools", 1, "number of pools with these devices")
	cmd.Flags().BoolVar(&f.shared, "shared", true, "one device more, that several claims may have at a time")
	cmd.Flags().BoolVar(&f.metadata, "metadata", false, "tell containers of their devices in files (KEP-5304)")
	cmd.Flags().BoolVar(&f.status, "device-status", false, "write into the status of claims what is prepared (KEP-4817)")
	cmd.Flags().BoolVar(&f.classic, "classic", false, "be the part on nodes of a classic driver, whose controller allocates: publish no devices, and prepare all that are allocated")
	cmd.Flags().BoolVar(&f.previous, "previous", false, "be the previous release, which serves only v1beta1 of the plugin API")
	cmd.Flags().StringVar(&f.process, "process", "", "name of this process for its sockets, as the UID of its pod, where two run side by side during an update")
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig (default: that of the pod)")
	cmd.Flags().StringVar(&f.fabricURL, "fabric-url", "", "address of a fabric, as https://fabric.example:8443, whose devices that are attached to the node are published, too")
	cmd.Flags().StringVar(&f.fabricToken, "fabric-token-file", "", "file with the bearer token for the fabric")
	cmd.Flags().StringVar(&f.fabricCA, "fabric-ca-file", "", "file with the certificate authority of the fabric")
	cmd.Flags().StringVar(&f.fabricName, "fabric-name", "fabric", "name of the fabric")
	cmd.Flags().DurationVar(&f.rescan, "fabric-rescan", 10*time.Second, "time between two looks for devices that have come or gone")
	cmd.Flags().StringVar(&f.bug, "bug", os.Getenv("DRA_SIM_BUG"), "name of a bug to have, or several with commas (default: $DRA_SIM_BUG)")
	return cmd
}

func bugList() string {
	list := ""
	for _, b := range mutants.All() {
		list += fmt.Sprintf("  %-26s %s\n", b.ID, b.What)
		if b.Issue != "" {
			list += fmt.Sprintf("  %-26s %s\n", "", b.Issue)
		}
	}
	return list
}

func drive(ctx context.Context, f driverFlags) error {
	bugs, err := mutants.FindAll(f.bug)
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
	config.Profile.Health, config.Profile.Metadata, config.Profile.DeviceStatus = true, f.metadata, f.status
	if f.pools > 1 {
		config.Profile = profiles.InPools(config.Profile, f.pools)
	}
	var ids []string
	for _, b := range bugs {
		ids = append(ids, b.ID)
	}
	driver := broken.By(ids...)
	driver.Inventory(&config.Profile)
	if f.classic {
		config.Profile = spec.Profile{}
	}
	place := broken.Place{
		Driver: f.name, CDIDir: f.CDIDir, StateDir: filepath.Join(f.KubeletRoot, "plugins", f.name), KubeletRoot: f.KubeletRoot, Client: f.Client, Release: 2,
	}
	if f.previous {
		place.Release, config.GRPC = 1, []spec.GRPCVersion{spec.GRPCv1beta1}
	}
	plugged, err := f.hotplug()
	if err != nil {
		return err
	}
	process := driver.Process()
	if process.OneSocket {
		f.process = ""
	}
	return sim.Standalone{
		Hotplug: plugged,
		Process: types.UID(f.process), LeavesSockets: process.LeavesSockets,
		Undivided: process.Undivided, Once: process.PublishesOnce, RemovesSlices: process.RemovesSlices,
		StaysUnhealthy: process.StaysUnhealthy, OnePool: process.OnePool, ForgetsUpdated: process.ForgetsUpdated, ForgetsCreated: process.ForgetsCreated,
		Options:   process.Options(place),
		Companion: func(ctx context.Context) (func(), error) { return process.Begin(ctx, place) },
		Around:    func(d kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return driver.Around(place, d) },
	}.Run(ctx, f.Config, config)
}

// answerTime is the timeout for requests to the fabric.
const answerTime = 10 * time.Second

// hotplug returns the fabric of the flags, or none without an address.
func (f driverFlags) hotplug() (sim.Hotplug, error) {
	if f.fabricURL == "" {
		return sim.Hotplug{}, nil
	}
	ca, err := os.ReadFile(f.fabricCA)
	if err != nil {
		return sim.Hotplug{}, fmt.Errorf("read the fabric's certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return sim.Hotplug{}, fmt.Errorf("read the fabric's certificate authority: %s has no certificate in PEM", f.fabricCA)
	}
	client := &http.Client{Timeout: answerTime, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	return sim.Hotplug{Fabric: f.fabricName, Rescan: f.rescan, Inventory: func(ctx context.Context) (fabric.Inventory, error) {
		token, err := os.ReadFile(f.fabricToken) // reread, as it may be rotated
		if err != nil {
			return fabric.Inventory{}, fmt.Errorf("read the token for the fabric: %w", err)
		}
		return fabric.Manager{Base: f.fabricURL, Token: strings.TrimSpace(string(token)), Agent: "dra-sim/" + f.NodeName, HTTP: client}.Inventory(ctx)
	}}, nil
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

// clientOf returns a client without client-side rate limits, so that calls do not wait for each other.
func clientOf(config *rest.Config) (*kubernetes.Clientset, error) {
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return client, nil
}

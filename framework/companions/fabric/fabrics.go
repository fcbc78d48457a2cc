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

package fabric

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Fabrics starts fabrics for a cluster.
type Fabrics struct {
	// Program is the path of dra-composable-controller, Sim that of dra-sim, for fabrics with drivers.
	Program, Sim string
	// Kubeconfig and Context name the cluster.
	Kubeconfig, Context string
}

var _ casefabric.Starter = Fabrics{}

const (
	ours, theirs, admin = "token-of-this-cluster", "token-of-another-cluster", "token-of-the-administrator"
	wrong               = "token-of-nobody"
	elsewhere           = "another"
	// name is the name of all fabrics: their controllers have different drivers.
	name = "fabric"
	// refresh is the controller's polling interval for free devices, which cases wait for: shorter than the 10 s of
	// KEP-5007.
	refresh = 2 * time.Second
)

type instance struct {
	site       *site.Site
	controller *site.Program
	drivers    map[string]*site.Program // by node
	config     spec.FabricConfig
	taken      int
}

// Start starts a manager, a controller (logging to controller.log in logs) and drivers (logging to DriverLog there).
// Files with keys are in a temporary directory; call Stop to remove them, even after an error.
func (f Fabrics) Start(ctx context.Context, logs string, config spec.FabricConfig) (casefabric.Client, error) {
	i := &instance{config: config, drivers: map[string]*site.Program{}}
	if err := config.Validate(); err != nil {
		return i, fmt.Errorf("start a fabric: %w", err)
	}
	if f.Program == "" || f.Kubeconfig == "" {
		return i, errors.New("start a fabric: there is no dra-composable-controller, or no kubeconfig for it")
	}
	if len(config.Drivers) > 0 && f.Sim == "" {
		return i, errors.New("start a fabric: there is no dra-sim to be the drivers of its nodes")
	}
	var err error
	i.site, err = site.Open(ctx, fabric.Config{
		Clusters:   []fabric.Client{{Name: "this", Token: ours}, {Name: elsewhere, Token: theirs}},
		AdminToken: admin,
		Models:     []fabric.ModelConfig{{Name: spec.FabricModel, Count: config.Devices, Attributes: config.Attributes}},
		Script:     detaching(config),
	})
	if err != nil {
		return i, err
	}
	client := site.Client{Kubeconfig: f.Kubeconfig, Context: f.Context, Token: ours, Driver: config.Driver, Fabric: name}
	control := client
	control.User, control.Log = config.User, filepath.Join(logs, controllerLog)
	i.controller, err = i.site.Control(site.Config{
		Program: f.Program, Client: control, Bind: config.Bind, DetachAfter: config.DetachAfter, Refresh: refresh,
	})
	if err != nil {
		return i, err
	}
	for _, node := range config.Drivers {
		drive := client
		drive.User, drive.Log = config.DriverUser, filepath.Join(logs, DriverLog(node))
		if i.drivers[node], err = i.site.Drive(site.DriverConfig{Program: f.Sim, Client: drive, Node: node, Rescan: config.Rescan}); err != nil {
			return i, err
		}
	}
	return i, nil
}

const controllerLog = "controller.log"

// Logs are the patterns of all log names.
func Logs() []string { return []string{controllerLog, DriverLog("*")} }

// DriverLog is the log name of a node's driver.
func DriverLog(node string) string { return "driver-" + node + ".log" }

// Turn starts a stopped part with its state on disk, or kills one as with SIGKILL: the controller's process is
// killed, the manager's connections are cut.
func (i *instance) Turn(ctx context.Context, part spec.FabricPart, on bool) error {
	switch {
	case part == spec.FabricController && on:
		return i.controller.Begin()
	case part == spec.FabricController:
		return i.controller.End()
	case on:
		return i.site.Begin(ctx)
	}
	return i.site.End()
}

// TurnDriver starts or kills the driver of a node.
func (i *instance) TurnDriver(node string, on bool) error {
	driver := i.drivers[node]
	switch {
	case driver == nil:
		return fmt.Errorf("node %q has no driver", node)
	case on:
		return driver.Begin()
	}
	return driver.End()
}

// Asked is the time of the controller's last request to the manager.
func (i *instance) Asked() time.Time { return i.site.Asked(ours, site.Agent) }

// DriverAsked is the time of the last request of a node's driver to the manager.
func (i *instance) DriverAsked(node string) time.Time {
	return i.site.Asked(ours, site.DriverAgent(node))
}

// Stop stops everything and removes all files except the logs.
func (i *instance) Stop() error {
	if i.site == nil {
		return nil
	}
	return i.site.Close()
}

func (i *instance) as(token string) fabric.Manager { return i.site.As(token) }

// Change applies all non-empty fields.
func (i *instance) Change(ctx context.Context, change spec.FabricChange) error {
	if change.Token != nil {
		token := ours
		if !*change.Token {
			token = wrong
		}
		if err := i.controller.SetToken(token); err != nil {
			return err
		}
	}
	if change.Kill != "" {
		if _, err := i.as(admin).Kill(ctx, change.Kill); err != nil {
			return err
		}
	}
	if change.Detach != "" {
		if _, err := i.as(ours).Detach(ctx, fabric.DetachRequest{Device: change.Detach}); err != nil {
			return err
		}
	}
	if change.Attach == nil {
		return nil
	}
	all := detaching(i.config)
	for _, r := range *change.Attach {
		all = append(all, fabric.Rule{Operation: fabric.Attach, Times: r.Times, Takes: metav1.Duration{Duration: r.Takes}, Fail: r.Fail})
	}
	_, err := i.as(admin).SetScript(ctx, all)
	return err
}

func detaching(config spec.FabricConfig) []fabric.Rule {
	return []fabric.Rule{{Operation: fabric.Detach, Takes: metav1.Duration{Duration: config.DetachTakes}}}
}

// Devices are all devices, by their IDs.
func (i *instance) Devices(ctx context.Context) (map[string]spec.FabricDevice, error) {
	state, err := i.as(admin).State(ctx)
	if err != nil {
		return nil, err
	}
	devices := map[string]spec.FabricDevice{}
	for id, d := range state.Devices {
		devices[id] = spec.FabricDevice{ID: id, Phase: string(d.Phase), Node: d.Node, Key: d.Key, Elsewhere: d.Cluster == elsewhere}
	}
	return devices, nil
}

// Take attaches a device for another cluster, and reports whether one was free.
func (i *instance) Take(ctx context.Context) (bool, error) {
	i.taken++
	_, err := i.as(theirs).Attach(ctx, fabric.AttachRequest{Key: strconv.Itoa(i.taken), Model: spec.FabricModel, Node: elsewhere})
	if errors.Is(err, fabric.ErrNoneFree) {
		return false, nil
	}
	return err == nil, err
}

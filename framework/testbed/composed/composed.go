package composed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed/composed/site"
)

// Fabrics starts fabrics for a cluster.
type Fabrics struct {
	// Program is the path of dra-composable-controller.
	Program string
	// Kubeconfig and Context name the cluster.
	Kubeconfig, Context string
}

var _ harness.Fabrics = Fabrics{}

const (
	ours, theirs, admin = "token-of-this-cluster", "token-of-another-cluster", "token-of-the-administrator"
	wrong               = "token-of-nobody"
	elsewhere           = "another"
	// name is that of all fabrics: their controllers have different drivers.
	name = "fabric"
	// refresh is the time between two looks of the controller at what is free, which cases
	// wait for: shorter than the 10 s that KEP-5007 has.
	refresh = 2 * time.Second
)

// instance is a fabric that was started.
type instance struct {
	site       *site.Site
	controller *site.Controller
	composed   spec.ComposedFabric
	taken      int
}

// Start starts a manager and a controller, whose log is controller.log in logs. What has
// keys is in a folder for temporary files, which Stop removes; Stop has to be called, also
// after an error.
func (f Fabrics) Start(ctx context.Context, logs string, composed spec.ComposedFabric) (harness.ComposedFabric, error) {
	i := &instance{composed: composed}
	if err := composed.Validate(); err != nil {
		return i, fmt.Errorf("start a fabric: %w", err)
	}
	if f.Program == "" || f.Kubeconfig == "" {
		return i, errors.New("start a fabric: there is no dra-composable-controller, or no kubeconfig for it")
	}
	var err error
	i.site, err = site.Open(ctx, fabric.Config{
		Clusters:   []fabric.Client{{Name: "this", Token: ours}, {Name: elsewhere, Token: theirs}},
		AdminToken: admin,
		Models:     []fabric.ModelConfig{{Name: spec.FabricModel, Count: composed.Devices, Attributes: composed.Attributes}},
		Script:     detaching(composed),
	})
	if err != nil {
		return i, err
	}
	i.controller, err = i.site.Control(site.Config{
		Program: f.Program, Kubeconfig: f.Kubeconfig, Context: f.Context, User: composed.User, Token: ours,
		Log: filepath.Join(logs, "controller.log"), Driver: composed.Driver, Fabric: name,
		Bind: composed.Bind, DetachAfter: composed.DetachAfter, Refresh: refresh,
	})
	return i, err
}

// Turn starts a part that does not run, which goes on with what it has on disk, or ends
// one as SIGKILL does: the controller's process is killed, the manager's connections are
// cut.
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

// Asked is when the controller has asked the manager last.
func (i *instance) Asked() time.Time { return i.site.Asked(ours) }

// Stop ends both, and removes all files but the log.
func (i *instance) Stop() error {
	if i.site == nil {
		return nil
	}
	return i.site.Close()
}

func (i *instance) as(token string) fabric.Manager { return i.site.As(token) }

// Change changes what is not nil or empty.
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
	all := detaching(i.composed)
	for _, r := range *change.Attach {
		all = append(all, fabric.Rule{Operation: fabric.Attach, Times: r.Times, Takes: metav1.Duration{Duration: r.Takes}, Fail: r.Fail})
	}
	_, err := i.as(admin).SetScript(ctx, all)
	return err
}

// detaching is what becomes of requests to detach.
func detaching(composed spec.ComposedFabric) []fabric.Rule {
	return []fabric.Rule{{Operation: fabric.Detach, Takes: metav1.Duration{Duration: composed.DetachTakes}}}
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

// Take attaches a device for another cluster, and says whether there was one.
func (i *instance) Take(ctx context.Context) (bool, error) {
	i.taken++
	_, err := i.as(theirs).Attach(ctx, fabric.AttachRequest{Key: strconv.Itoa(i.taken), Model: spec.FabricModel, Node: elsewhere})
	if errors.Is(err, fabric.ErrNoneFree) {
		return false, nil
	}
	return err == nil, err
}

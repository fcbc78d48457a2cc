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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Companion starts composable fabrics with their controllers.
const Companion spec.Companion = "composable"

// Starter starts fabrics with their controllers. framework/companions/fabric implements it.
type Starter interface {
	// Start starts a fabric with files and logs in dir. Call Stop even after an error.
	Start(ctx context.Context, dir string, fabric spec.FabricConfig) (Client, error)
}

// Client controls a fabric of devices and its controller.
type Client interface {
	// Turn kills a part, or starts it again with its former state.
	Turn(ctx context.Context, part spec.FabricPart, on bool) error
	// Stop ends both.
	Stop() error
	Change(ctx context.Context, change spec.FabricChange) error
	// Devices returns all devices by ID.
	Devices(ctx context.Context) (map[string]spec.FabricDevice, error)
	// Take attaches a device to another cluster, and returns whether one was free.
	Take(ctx context.Context) (bool, error)
}

// Fabric is the fabric of a case.
type Fabric struct {
	Client

	t *harness.T
	// log is the end of the controller's log, once it has stopped.
	log []byte
}

// controllerUser is the service account of the controller.
const controllerUser = "composable"

// Start starts a fabric and its controller with minimal rights: without MayReport, the controller
// must not even report devices of the case's driver as attached.
func Start(t *harness.T, fabric spec.FabricConfig) *Fabric {
	ginkgo.GinkgoHelper()
	starter := t.Companion(Companion).(Starter)
	fabric.Driver, fabric.User = t.DriverName(), "system:serviceaccount:"+t.Namespace+":"+controllerUser
	t.Step("start a fabric with %d devices", fabric.Devices)
	allow(t, t.Namespace+"-composable", controllerRules()...)
	t.SetBlocked("the fabric and its controller could not be started on the machine of the run")
	logs, err := os.MkdirTemp("", "dratest-controller-")
	t.NoError(err, "make a directory for the controller's log")
	started, err := starter.Start(t.Context(), logs, fabric)
	c := &Fabric{Client: started, t: t}
	ginkgo.DeferCleanup(func() { c.stop(logs) })
	t.AddEvidence(c.gather)
	t.NoError(err, "start a fabric")
	ginkgo.DeferCleanup(c.audit)
	t.SetBlocked("")
	return c
}

// stop stops the fabric and adopts the controller's objects: they are evidence, and are removed or
// kept with the case's objects. The log is a file of the evidence.
func (c *Fabric) stop(logs string) {
	if err := c.Stop(); err != nil {
		c.t.Note("the fabric was not stopped as it should be: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), harness.FinishTimeout)
	defer cancel()
	c.keepLog(logs)
	if err := errors.Join(c.adoptSlices(ctx), c.adoptRules(ctx)); err != nil {
		ginkgo.Fail(fmt.Sprintf("clean up after the fabric: %v", err))
	}
}

// keepLog reads the end of the controller's log for the evidence, and removes its directory.
func (c *Fabric) keepLog(logs string) {
	defer func() { _ = os.RemoveAll(logs) }()
	log, err := os.ReadFile(filepath.Join(logs, controllerLog))
	if err != nil {
		c.t.Note("the controller's log cannot be read: %v", err)
		return
	}
	c.log = log[max(0, len(log)-harness.MaxLog):]
}

func (c *Fabric) gather(_ context.Context, e *harness.Evidence) { e.File(controllerLog, c.log) }

// controllerLog is the file name of the controller's log.
const controllerLog = "controller.log"

// adoptSlices tracks the slices of the case's driver.
func (c *Fabric) adoptSlices(ctx context.Context) error {
	options := metav1.ListOptions{FieldSelector: await.OfDriver(c.t.DriverName())}
	return await.Insist(ctx, "list the fabric's slices", func(ctx context.Context) error {
		list, err := c.t.Client.ResourceV1().ResourceSlices().List(ctx, options)
		if err != nil {
			return err
		}
		for _, slice := range list.Items {
			c.t.Track(&slice)
		}
		return nil
	})
}

// adoptRules tracks the taint rules for devices of the case's driver.
func (c *Fabric) adoptRules(ctx context.Context) error {
	return await.Insist(ctx, "list the fabric's taint rules", func(ctx context.Context) error {
		list, err := c.t.Client.ResourceV1().DeviceTaintRules().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, rule := range list.Items {
			if s := rule.Spec.DeviceSelector; s != nil && s.Driver != nil && *s.Driver == c.t.DriverName() {
				c.t.Track(&rule)
			}
		}
		return nil
	})
}

// Say scripts the answers to attach requests.
func (c *Fabric) Say(rules ...spec.AttachRule) {
	ginkgo.GinkgoHelper()
	c.t.Step("script the fabric: %+v", rules)
	c.t.NoError(c.Change(c.t.Context(), spec.FabricChange{Attach: &rules}), "script the fabric")
}

// End kills a running part.
func (c *Fabric) End(part spec.FabricPart) {
	ginkgo.GinkgoHelper()
	c.turn("kill", part, false)
}

// Begin starts a killed part, with its former state.
func (c *Fabric) Begin(part spec.FabricPart) {
	ginkgo.GinkgoHelper()
	c.turn("start", part, true)
}

func (c *Fabric) turn(what string, part spec.FabricPart, on bool) {
	ginkgo.GinkgoHelper()
	c.t.Step("%s the fabric's %s", what, part)
	c.t.NoError(c.Turn(c.t.Context(), part, on), "%s the fabric's %s", what, part)
}

// Kill makes a device fail, wherever it is.
func (c *Fabric) Kill(device string) {
	ginkgo.GinkgoHelper()
	c.t.Step("let device %s die", device)
	c.t.NoError(c.Change(c.t.Context(), spec.FabricChange{Kill: device}), "let device %s die", device)
}

// Token gives the controller a valid or an invalid fabric token.
func (c *Fabric) Token(right bool) {
	ginkgo.GinkgoHelper()
	c.t.Step("give the controller a token (right: %t)", right)
	c.t.NoError(c.Change(c.t.Context(), spec.FabricChange{Token: &right}), "give the controller a token")
}

// WaitDevices waits until done holds for the fabric's devices.
func (c *Fabric) WaitDevices(what string, done func(map[string]spec.FabricDevice) bool) map[string]spec.FabricDevice {
	ginkgo.GinkgoHelper()
	var last map[string]spec.FabricDevice
	c.t.Poll("devices of the fabric to be "+what, func(ctx context.Context) (bool, string, error) {
		devices, err := c.Devices(ctx)
		if err != nil {
			return false, err.Error(), nil // the fabric may be away for a moment
		}
		last = devices
		return done(devices), describeDevices(devices), nil
	})
	return last
}

func describeDevices(devices map[string]spec.FabricDevice) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(devices)) {
		all = append(all, fmt.Sprintf("%s %s %s", id, devices[id].Phase, devices[id].Node))
	}
	return strings.Join(all, ", ")
}

// WaitFree waits until a number of devices of the fabric are published as free.
func (c *Fabric) WaitFree(n int) {
	ginkgo.GinkgoHelper()
	driver := c.t.DriverName()
	c.t.Poll(fmt.Sprintf("%d free devices to be published", n), func(ctx context.Context) (bool, string, error) {
		list, err := c.t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: "spec.driver=" + driver})
		if err != nil {
			return false, "", err
		}
		count, pools := 0, 0
		for _, slice := range list.Items {
			if slice.Spec.NodeName == nil {
				count, pools = count+len(slice.Spec.Devices), pools+1
			}
		}
		return pools > 0 && count == n, fmt.Sprintf("there are %d in %d slices", count, pools), nil
	})
}

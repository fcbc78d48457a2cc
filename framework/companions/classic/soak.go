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

package classic

import (
	"context"
	"errors"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// soakDevices is the number of devices per node: few, so that pods compete.
	soakDevices = 3
	// soakTakes is the driver's time per device: long enough for kills in between.
	soakTakes = 200 * time.Millisecond
	// schedulerLog and driverLog are the programs' logs in the report directory.
	schedulerLog, driverLog = "scheduler.log", "driver.log"
	// driverUser is the driver's service account, schedulerUser the schedulers' user.
	driverUser, schedulerUser = "classic", "system:kube-scheduler"
	// schedulerName is the default scheduler of pods.
	schedulerName = "default-scheduler"
)

// Soak is a soak with claims allocated by a driver (KEP-3063) in negotiation with a scheduler, on simulated nodes.
type Soak struct {
	scheduler, driver *program
	// client is for the kinds of classic DRA.
	client dynamic.Interface
	// processes are to be ended.
	processes []classicdra.Process
}

var _ soak.Companion = (*Soak)(nil)

// Name implements soak.Companion.
func (*Soak) Name() string { return "classic" }

// Validate implements soak.Companion.
func (*Soak) Validate() error { return nil }

// kind is the client for a kind of classic DRA, by its plural.
func (s *Soak) kind(plural string) dynamic.NamespaceableResourceInterface {
	return s.client.Resource(schema.GroupVersionResource{Group: classicdra.Group, Version: classicdra.Version, Resource: plural})
}

type program struct {
	process classicdra.Process
	what    classicdra.ProcessConfig
}

func newProgram(process classicdra.Process, what classicdra.ProcessConfig) *program {
	return &program{process: process, what: what}
}

// Restart kills it and starts it again with its state on disk. If it had exited by itself, it is restarted and
// Restart returns an error; its log has the reason.
func (p *program) Restart() error { return p.restart(func() error { return nil }) }

// Hold adds held devices, as "pool/device" by claim UID, to a driver, as if taken before it was killed.
func (p *program) Hold(more map[string]string) error {
	holder, ok := p.process.(interface{ Hold(map[string]string) error })
	if !ok {
		return errors.New("its state cannot be changed")
	}
	return p.restart(func() error { return holder.Hold(more) })
}

func (p *program) restart(between func() error) error {
	err := p.process.Kill()
	if err != nil {
		err = fmt.Errorf("it could not be killed (%s has more): %w", p.what.Log, err)
	}
	return errors.Join(err, between(), p.process.Begin(p.what))
}

// Worked reports whether it has processed a pod or claim since its last start.
func (p *program) Worked() (bool, error) { return p.process.Worked() }

// Prepare starts a scheduler and a driver of classic DRA on a cluster without scheduler.
func (s *Soak) Prepare(ctx context.Context, b *soak.Bed) error {
	if skip := soakNeeds().Missing(b.Target); skip != nil {
		return fmt.Errorf("a soak of classic DRA %s", skip.Text)
	}
	client, err := b.Find(ctx, classicdra.Companion)
	if err != nil {
		return err
	}
	programs := client.(Programs)
	// They go with the cluster.
	if _, err := programs.Install(ctx, b.REST); err != nil {
		return err
	}
	if s.client, err = dynamic.NewForConfig(b.REST); err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	if err := b.CreateObjects(ctx, loadKinds()); err != nil {
		return err
	}
	if err := s.createObjects(ctx, b); err != nil {
		return err
	}
	return b.Progress.Step(fmt.Sprintf("start a scheduler with classic DRA, and a driver with %d devices on each node", soakDevices), 0, func() error {
		return s.start(b, programs)
	})
}

// soakNeeds: dra-scheduler is for the newest version, and nodes may be simulated.
func soakNeeds() spec.Needs { return spec.Needs{Since: "1.37", NoKubelet: true} }

// createObjects creates the objects the load's claims refer to, and gives driver and scheduler exactly the rights of
// their manifests.
func (s *Soak) createObjects(ctx context.Context, b *soak.Bed) error {
	for _, p := range parameters() {
		if _, err := b.Client.CoreV1().ConfigMaps(b.Namespace).Create(ctx, p, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create parameters %s: %w", p.Name, err)
		}
	}
	class := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": classicdra.Group + "/" + classicdra.Version, "kind": "ResourceClass", "driverName": b.Names.Driver,
	}}
	class.SetName(resourceClass)
	class.SetLabels(map[string]string{spec.LabelManagedBy: spec.ManagedBy})
	if _, err := s.kind("resourceclasses").Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create resource class: %w", err)
	}
	if _, err := b.Account(ctx, driverUser, classicdra.DriverRules()); err != nil {
		return err
	}
	return b.Allow(ctx, "scheduler", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: schedulerUser}, classicdra.SchedulerRules())
}

// start starts the programs. After each start the driver's first operation of each kind fails.
func (s *Soak) start(b *soak.Bed, programs classicdra.Starter) error {
	start := func(what classicdra.ProcessConfig) (*program, error) {
		process, err := programs.Start(b.ReportDir, what)
		s.processes = append(s.processes, process)
		return newProgram(process, what), err
	}
	var err error
	if s.scheduler, err = start(classicdra.ProcessConfig{Scheduler: schedulerName, User: schedulerUser, Log: schedulerLog}); err != nil {
		return err
	}
	s.driver, err = start(classicdra.ProcessConfig{
		Driver: classicdra.DriverConfig{Name: b.Names.Driver, Devices: soakDevices, Nodes: b.Target.NodesFor(soakNeeds()), Takes: soakTakes, FailAllocate: 1, FailDeallocate: 1},
		User:   "system:serviceaccount:" + b.Namespace + ":" + driverUser, Log: driverLog,
	})
	return err
}

// Stop implements soak.Companion.
func (s *Soak) Stop() error {
	var errs []error
	for _, process := range s.processes {
		if err := process.Remove(); err != nil {
			errs = append(errs, fmt.Errorf("stop a program, see its log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Logs are the names of all logs.
func Logs() []string { return []string{schedulerLog, driverLog} }

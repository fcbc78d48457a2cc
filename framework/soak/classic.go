package soak

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
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// classicDevices is how many each node has: few, so that pods wait for one another's.
	classicDevices = 3
	// classicTakes is how long the driver needs for each: long enough for kills to come in
	// between.
	classicTakes = 200 * time.Millisecond
	// schedulerLog and driverLog are the programs' logs in the report directory.
	schedulerLog, driverLog = "scheduler.log", "driver.log"
	// classicUser is the service account as which the driver works, schedulerUser is who
	// schedulers are.
	classicUser, schedulerUser = "classic", "system:kube-scheduler"
	// schedulerName is the one that pods choose unless they choose another one.
	schedulerName = "default-scheduler"
)

// Classic is what a soak of classic DRA has beside the API's objects.
type Classic struct {
	Scheduler, Driver *Program
	// Client is for the kinds of classic DRA.
	Client dynamic.Interface
}

// Kind is the client for a kind of classic DRA, by its plural.
func (c *Classic) Kind(plural string) dynamic.NamespaceableResourceInterface {
	return c.Client.Resource(schema.GroupVersionResource{Group: spec.ClassicGroup, Version: spec.ClassicVersion, Resource: plural})
}

// Program is a process beside dratest that can be killed.
type Program struct {
	process classicdra.Process
	what    spec.ClassicProcess
}

// NewProgram returns one that runs.
func NewProgram(process classicdra.Process, what spec.ClassicProcess) *Program {
	return &Program{process: process, what: what}
}

// Restart kills it, and starts it again with what it has on disk. That it had ended by itself
// is an error, and says in its log why; it is started all the same.
func (p *Program) Restart() error { return p.restart(func() error { return nil }) }

// Hold has a driver hold more devices, as "pool/device" by the UIDs of claims, as if it had
// taken them before it was killed.
func (p *Program) Hold(more map[string]string) error {
	holder, ok := p.process.(interface{ Hold(map[string]string) error })
	if !ok {
		return errors.New("what it holds cannot be changed")
	}
	return p.restart(func() error { return holder.Hold(more) })
}

func (p *Program) restart(between func() error) error {
	err := p.process.Kill()
	if err != nil {
		err = fmt.Errorf("it could not be killed (%s has more): %w", p.what.Log, err)
	}
	return errors.Join(err, between(), p.process.Begin(p.what))
}

// Worked says whether it has done something for a pod or a claim since it was started last.
func (p *Program) Worked() (bool, error) { return p.process.Worked() }

// prepareClassic starts a scheduler and a driver of classic DRA on a cluster without
// scheduler.
func (b *soakbed) prepareClassic(ctx context.Context) error {
	if skip := classicNeeds().Missing(b.Target); skip != nil {
		return fmt.Errorf("a soak of classic DRA %s", skip.Text)
	}
	programs, err := b.parts.Classic(ctx)
	if err != nil {
		return err
	}
	programs.Kubeconfig, programs.Context = b.Kubeconfig, b.Context
	// They go with the cluster.
	if _, err := programs.Install(ctx, b.REST); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(b.REST)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	b.kinds, b.classic = load.ClassicKinds(), &Classic{Client: client}
	if err := b.createObjects(ctx); err != nil {
		return err
	}
	if err := b.createClassicObjects(ctx); err != nil {
		return err
	}
	return b.Progress.Step(fmt.Sprintf("start a scheduler with classic DRA, and a driver with %d devices on each node", classicDevices), 0, func() error {
		return b.startClassic(programs)
	})
}

// classicNeeds: dra-scheduler is for the newest version, and nodes may be simulated.
func classicNeeds() spec.Needs { return spec.Needs{Since: "1.37", NoKubelet: true} }

// createClassicObjects makes what the load's claims refer to, and gives driver and scheduler
// the rights of their manifests and no others.
func (b *soakbed) createClassicObjects(ctx context.Context) error {
	for _, p := range b.names.Parameters(b.kinds) {
		if _, err := b.Client.CoreV1().ConfigMaps(b.namespace).Create(ctx, p, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create parameters %s: %w", p.Name, err)
		}
	}
	class := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": spec.ClassicGroup + "/" + spec.ClassicVersion, "kind": "ResourceClass", "driverName": b.names.Driver,
	}}
	class.SetName(b.names.ResourceClass(b.kinds))
	class.SetLabels(map[string]string{spec.LabelManagedBy: spec.ManagedBy})
	if _, err := b.classic.Kind("resourceclasses").Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create resource class: %w", err)
	}
	return errors.Join(
		b.allow(ctx, classicUser, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: classicUser, Namespace: b.namespace}, classicdra.DriverRules()),
		b.allow(ctx, "scheduler", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: schedulerUser}, classicdra.SchedulerRules()))
}

// startClassic starts the programs. After each start the driver fails once at whatever it is
// asked for.
func (b *soakbed) startClassic(programs classicdra.Starter) error {
	start := func(what spec.ClassicProcess) (*Program, error) {
		process, err := programs.Start(b.options.ReportDir, what)
		b.processes = append(b.processes, process)
		return NewProgram(process, what), err
	}
	var err error
	if b.classic.Scheduler, err = start(spec.ClassicProcess{Scheduler: schedulerName, User: schedulerUser, Log: schedulerLog}); err != nil {
		return err
	}
	b.classic.Driver, err = start(spec.ClassicProcess{
		Driver: spec.ClassicDriver{Name: b.names.Driver, Devices: classicDevices, Nodes: b.Target.NodesFor(classicNeeds()), Takes: classicTakes, FailAllocate: 1, FailDeallocate: 1},
		User:   "system:serviceaccount:" + b.namespace + ":" + classicUser, Log: driverLog,
	})
	return err
}

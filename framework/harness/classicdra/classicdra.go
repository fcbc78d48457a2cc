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

package classicdra

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Starter starts programs of classic DRA. framework/companions/classic implements it.
type Starter interface {
	// Start starts a program with its log in a directory of its own. Remove the result even after an
	// error.
	Start(logs string, what ProcessConfig) (Process, error)
}

// Process is a scheduler with classic DRA, or a driver's controller.
type Process interface {
	// Begin starts it again with a new configuration and its former files.
	Begin(what ProcessConfig) error
	// Kill kills it if it runs.
	Kill() error
	// Held returns a driver's devices in use, as "pool/device" by claim UID.
	Held() (map[string]string, error)
	// Worked is whether it has done something for a pod or a claim since its last start.
	Worked() (bool, error)
	// Remove ends it and removes its files except its log.
	Remove() error
}

// Simulator is implemented by every Process.
type Simulator interface {
	// Simulate asks a driver, running or not, for its predictions for pending pods with more nodes
	// like this one.
	Simulate(ctx context.Context, like *corev1.Node, count int) (Prediction, error)
}

// DRA is a scheduler with the name of the case's namespace, and drivers.
type DRA struct {
	Scheduler *Program

	t        *harness.T
	starter  Starter
	programs []*Program
	logs     string
	client   dynamic.Interface
}

// Program is the scheduler or a driver of a case.
type Program struct {
	process Process
	c       *DRA
	what    ProcessConfig
	runs    bool
}

const (
	// classicUser is the service account of the drivers of a case.
	classicUser = "classic"
	// schedulerUser is the user name of schedulers.
	schedulerUser = "system:kube-scheduler"
	schedulerLog  = "scheduler.log"
)

// Start starts a scheduler with classic DRA. It and the drivers have minimal rights.
func Start(t *harness.T) *DRA {
	ginkgo.GinkgoHelper()
	programs := t.Companion(Companion).(Starter)
	client, err := dynamic.NewForConfig(t.Env().Config)
	t.NoError(err, "make a client")
	c := &DRA{t: t, starter: programs, client: client}
	t.OnRestore(c.restore)
	t.OnRemoved(c.awaitNothingLeft)
	t.OnCleanup(c.stop)
	t.AddEvidence(c.gather)
	c.logs, err = os.MkdirTemp("", "dratest-classic-")
	t.NoError(err, "make a directory for logs")
	t.Grant(t.Namespace+"-classic-driver", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: classicUser, Namespace: t.Namespace}, DriverRules()...)
	t.Grant(t.Namespace+"-classic-scheduler", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: schedulerUser}, SchedulerRules()...)
	t.Step("start a scheduler with classic DRA")
	c.Scheduler = c.start(ProcessConfig{Scheduler: t.Namespace, User: schedulerUser, Log: schedulerLog})
	return c
}

// Driver starts a driver's controller, by default with devices on the case's nodes. Its name
// differs from the case's driver.
func (c *DRA) Driver(d DriverConfig) *Program {
	ginkgo.GinkgoHelper()
	n := len(c.programs) // the scheduler is one
	d.Name = harness.DriverName(fmt.Sprintf("driver/classic-%d", n), c.t.Namespace)
	if d.Nodes == nil {
		d.Nodes = c.t.Nodes
	}
	c.t.Step("start driver %s: %+v", d.Name, d)
	return c.start(ProcessConfig{Driver: d, User: "system:serviceaccount:" + c.t.Namespace + ":" + classicUser, Log: fmt.Sprintf("driver-%d.log", n)})
}

func (c *DRA) start(what ProcessConfig) *Program {
	ginkgo.GinkgoHelper()
	c.t.SetBlocked("a program of classic DRA could not be started on the machine of the run")
	process, err := c.starter.Start(c.logs, what)
	p := &Program{process: process, c: c, what: what, runs: true}
	c.programs = append(c.programs, p)
	c.t.NoError(err, "start a program of classic DRA")
	c.t.SetBlocked("")
	return p
}

// Name is the scheduler name for pods, or the driver name for classes.
func (p *Program) Name() string { return p.what.Scheduler + p.what.Driver.Name }

// Kill kills the program.
func (p *Program) Kill() {
	ginkgo.GinkgoHelper()
	p.c.t.Step("kill %s", p.Name())
	p.c.t.NoError(p.process.Kill(), "kill %s", p.Name())
	p.runs = false
}

// Begin starts the program again with its former files, after killing a running one. change is for
// drivers and may be nil.
func (p *Program) Begin(change func(*DriverConfig)) {
	ginkgo.GinkgoHelper()
	if change != nil {
		change(&p.what.Driver)
	}
	p.c.t.Step("start %s again", p.Name())
	p.c.t.NoError(p.process.Begin(p.what), "start %s again", p.Name())
	p.runs = true
}

// Held returns the driver's devices in use, by claim UID.
func (p *Program) Held() map[string]string {
	ginkgo.GinkgoHelper()
	held, err := p.held()
	p.c.t.NoError(err, "look at the devices of %s", p.Name())
	return held
}

// held is Held; a device held for two claims is an error.
func (p *Program) held() (map[string]string, error) {
	held, err := p.process.Held()
	if err != nil {
		return nil, err
	}
	if found := HeldTwice(held); len(found) > 0 {
		return nil, errors.New(audit.Texts(found))
	}
	return held, nil
}

// Simulate asks the driver for its predictions for the case's pending pods with more nodes of a
// group, named by SimulatedNode. It allocates nothing.
func (p *Program) Simulate(group spec.NodeGroup, count int) []spec.PredictedPod {
	ginkgo.GinkgoHelper()
	t := p.c.t
	t.Step("ask driver %s about %d nodes like %s", p.Name(), count, group.Name)
	like := group.Node.DeepCopy()
	like.APIVersion, like.Kind, like.Name = "v1", "Node", group.Name
	simulator, ok := p.process.(Simulator)
	if !ok {
		t.Fatalf("driver %s cannot be asked", p.Name())
	}
	answer, err := simulator.Simulate(t.Context(), like, count)
	t.NoError(err, "ask driver %s", p.Name())
	for _, pod := range answer.Pods {
		t.Note("pod %s: node %q %s", pod.Name, pod.Node, pod.Reason)
	}
	return answer.Pods
}

// SimulatedNode is Simulate's name for an additional node of a group, counted from 1.
func SimulatedNode(group spec.NodeGroup, number int) string {
	return fmt.Sprintf("%s-new-%d", group.Name, number)
}

// restore runs all drivers without failures, because claims are not deleted without their drivers'
// consent.
func (c *DRA) restore(context.Context) error {
	for _, p := range c.programs {
		healthy := p.what
		healthy.Driver = p.what.Driver.Healthy()
		if p == c.Scheduler || p.runs && reflect.DeepEqual(healthy, p.what) {
			continue
		}
		p.what = healthy
		if err := p.process.Begin(p.what); err != nil {
			c.t.Note("%s was not restored: %v", p.Name(), err)
		}
	}
	return nil
}

// awaitNothingLeft waits until drivers hold nothing for the case's deleted claims.
func (c *DRA) awaitNothingLeft(ctx context.Context) error {
	var left []string
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), harness.RemoveTimeout, fmt.Errorf("not after %s", harness.RemoveTimeout))
	defer cancel()
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		list, err := c.kind(classicClaims).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = nil
		for _, record := range list.Items {
			left = append(left, "record "+record.GetName())
		}
		for _, p := range c.programs {
			held, err := p.held()
			if err != nil {
				return false, err
			}
			for uid, device := range held {
				left = append(left, "device "+device+" of claim "+uid)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait until drivers have freed everything: %w; left: %s", err, strings.Join(left, ", "))
	}
	return nil
}

// stop ends all programs, even if pods of the case stay.
func (c *DRA) stop(context.Context, bool) error {
	var errs []error
	for _, p := range c.programs {
		errs = append(errs, p.process.Remove())
	}
	if err := errors.Join(append(errs, os.RemoveAll(c.logs))...); err != nil { // evidence has the logs, if there is any
		c.t.Note("programs of classic DRA were not ended as they should be: %v", err)
	}
	return nil
}

// DriverRules are the rules in the manifest of dra-classic-driver.
func DriverRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		objects.Rule("", "pods", "list", "watch"),
		objects.Rule("", "nodes", "list", "watch"),
		objects.Rule("", "configmaps", "get"),
		objects.Rule("", "events", "create", "patch"),
		objects.Rule("resource.k8s.io", "deviceclasses", "list", "watch"),
		objects.Rule("resource.k8s.io", "resourceclaims", "get", "list", "watch", "update"),
		objects.Rule("resource.k8s.io", "resourceclaims/status", "update"),
		objects.Rule("resource.k8s.io", "resourceclaims/binding", "update"),
		objects.Rule(Group, "resourceclasses", "list", "watch"),
		objects.Rule(Group, "podschedulings", "list", "watch"),
		objects.Rule(Group, "podschedulings/status", "update"),
		objects.Rule(Group, "classicclaims/status", "update"),
		objects.Rule(Group, "classicclaims", "get", "list", "watch", "create", "update", "delete"),
	}
}

// SchedulerRules are dra-scheduler's rules in addition to kube-scheduler's.
func SchedulerRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		objects.Rule(Group, "resourceclasses", "list", "watch"),
		objects.Rule(Group, "podschedulings", "get", "list", "watch", "create", "update", "delete"),
		objects.Rule(Group, "classicclaims", "list", "watch", "update"),
	}
}

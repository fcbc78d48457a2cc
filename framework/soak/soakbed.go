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

package soak

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Bed is a testbed with a driver with devices, and with classes and templates.
type Bed struct {
	*testbed.Testbed

	// ReportDir gets the logs of programs.
	ReportDir string
	// Namespace has the pods, Names are the names of the objects they refer to.
	Namespace string
	Names     load.Names

	options Options
	parts   Parts
	retry   *retrier

	agents    agentapi.AgentClient
	kinds     []load.Kind
	instances []outage.Instance
	// found is the installed driver.
	found spec.DriverUnderTest
}

// prepare brings everything up; call close even if it fails.
func (b *Bed) prepare(ctx context.Context) (err error) {
	o := b.options
	b.Testbed, err = testbed.Open(ctx, b.parts.Parts, o.Config)
	if err != nil {
		return err
	}
	if err := b.Look(ctx); err != nil {
		return err
	}
	switch {
	case o.Companion != nil:
		return o.Companion.Prepare(ctx, b)
	case o.Installed != nil:
		return b.prepareInstalled(ctx)
	}
	kinds := load.Served(func(f spec.Feature) bool {
		skip := f.Missing(b.Target)
		if skip != nil {
			b.Progress.Printf("  -- pods with %s are left out: %s", f, skip.Text)
		}
		return skip != nil
	})
	if err := b.Install(ctx, b.Target.Workers()); err != nil {
		return err
	}
	if b.agents, err = b.parts.Agents.Connect(ctx, b.REST); err != nil {
		return err
	}
	if err := b.CreateObjects(ctx, kinds); err != nil {
		return err
	}
	return b.Progress.Step("publish devices", 0, func() error { return b.startDriver(ctx) })
}

// CreateObjects creates the namespace and the objects pods of these kinds refer to.
func (b *Bed) CreateObjects(ctx context.Context, kinds []load.Kind) error {
	b.kinds = kinds
	ns, err := b.Client.CoreV1().Namespaces().Create(ctx, b.namespaceOf(), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a namespace: %w", err)
	}
	b.Namespace = ns.Name
	b.Names = load.Names{Driver: strings.TrimPrefix(ns.Name, "dratest-") + ".dra-conformance.github.io", Image: b.options.PodImage}
	if b.options.Installed != nil {
		b.Names = b.namesOf()
	}
	for _, class := range b.Names.Classes(b.kinds) {
		if _, err := b.Client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create class %s: %w", class.Name, err)
		}
	}
	for _, template := range b.Names.Templates(b.kinds) {
		if _, err := b.Client.ResourceV1().ResourceClaimTemplates(b.Namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create template %s: %w", template.Name, err)
		}
	}
	return nil
}

// Allow grants cluster-wide rights through a role with this name suffix.
func (b *Bed) Allow(ctx context.Context, suffix string, subject rbacv1.Subject, rules []rbacv1.PolicyRule) error {
	roles, name := b.Client.RbacV1(), b.Namespace+"-"+suffix
	_, err := roles.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	if err == nil {
		_, err = roles.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{subject},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("give %s its rights: %w", subject.Name, err)
	}
	return nil
}

// Account gives a program exactly the rights of its manifest, and returns its user.
func (b *Bed) Account(ctx context.Context, name string, rules []rbacv1.PolicyRule) (user string, err error) {
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: b.Namespace}
	return "system:serviceaccount:" + b.Namespace + ":" + name, b.Allow(ctx, name, subject, rules)
}

// startDriver makes the instance of every other node publish with the library's helper, like other vendors' drivers:
// slices deleted by a starting kubelet are missing for 30 s there.
func (b *Bed) startDriver(ctx context.Context) error {
	config := spec.DriverConfig{Name: b.Names.Driver, Profile: load.Inventory(b.kinds)}
	group, starting := errgroup.WithContext(ctx)
	for i, node := range b.Target.Workers() {
		config.Publishing = spec.Publishings()[i%len(spec.Publishings())]
		b.instances = append(b.instances, outage.Instance{Driver: config.Name, Node: node, Publishing: config.Publishing, Pools: len(config.Profile.Pools)})
		group.Go(func() error {
			return simdriver.StartInstance(starting, b.agents, node, config)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return await.Pools(ctx, b.Client, config.Name, len(b.Target.Workers())*len(config.Profile.Pools))
}

// clear deletes all pods and claims except claims to be deleted with their pods.
func (b *Bed) clear(ctx context.Context) error {
	pods, claims := b.Client.CoreV1().Pods(b.Namespace), b.Client.ResourceV1().ResourceClaims(b.Namespace)
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete remaining pods: %w", err)
	}
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list remaining claims: %w", err)
	}
	for _, c := range list.Items {
		if metav1.GetControllerOf(&c) != nil {
			continue
		}
		if err := claims.Delete(ctx, c.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete remaining claim %s: %w", c.Name, err)
		}
	}
	return nil
}

// release removes our own finalizer from claims kept by a fault.
func (b *Bed) release(ctx context.Context) error {
	if b.Client == nil || b.Namespace == "" {
		return nil
	}
	claims := b.Client.ResourceV1().ResourceClaims(b.Namespace)
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list remaining claims: %w", err)
	}
	var errs []error
	for _, c := range list.Items {
		if slices.Contains(c.Finalizers, Finalizer) {
			c.Finalizers = slices.DeleteFunc(c.Finalizers, func(f string) bool { return f == Finalizer })
			_, err := claims.Update(ctx, &c, metav1.UpdateOptions{})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// close removes what prepare made, even after ctx was cancelled. It saves the cluster's logs after a failure.
func (b *Bed) close(ctx context.Context, failed bool) error {
	var errs []error
	if c := b.options.Companion; c != nil {
		errs = append(errs, c.Stop())
	}
	if failed {
		errs = append(errs, b.Logs(ctx, filepath.Join(b.options.ReportDir, "cluster")))
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
	defer cancel()
	return errors.Join(append(errs, b.release(releasing), b.Close(ctx, nil))...)
}

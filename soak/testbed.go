package soak

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/runner"
	"github.com/dra-conformance/dratest/soak/load"
)

const (
	// cleanupTime bounds the removal of what a soak made.
	cleanupTime = 3 * time.Minute
	// readyTime bounds how long the driver takes to be registered and to publish.
	readyTime = time.Minute
)

// testbed is what a soak stands on: a cluster, agents on its nodes, a driver with
// devices, classes and templates.
type testbed struct {
	options  Options
	parts    Parts
	progress *progress.Printer
	retry    *retrier

	cluster   string // the one that was made
	config    *rest.Config
	client    kubernetes.Interface
	target    spec.Target
	drivers   harness.Drivers
	nodes     harness.Nodes
	kinds     []load.Kind
	namespace string
	names     load.Names

	undo []func(context.Context) error
}

// later adds what close does, the last one first.
func (b *testbed) later(do func(context.Context) error) { b.undo = append(b.undo, do) }

// prepare brings all up; what it did has to be closed even if it fails.
func (b *testbed) prepare(ctx context.Context) error {
	kubeconfig := b.options.Kubeconfig
	if kubeconfig == "" {
		made, err := b.makeCluster(ctx)
		if err != nil {
			return err
		}
		kubeconfig = made
	}
	var err error
	if b.config, err = runner.ClientConfig(kubeconfig, b.options.Context); err != nil {
		return err
	}
	if b.client, err = kubernetes.NewForConfig(b.config); err != nil {
		return fmt.Errorf("use the kubeconfig %s: %w", kubeconfig, err)
	}
	if b.target, err = probe.Target(ctx, b.config); err != nil {
		return err
	}
	if err := probe.Usable(b.target); err != nil {
		return fmt.Errorf("the cluster at %s cannot be used: %w", b.target.Server, err)
	}
	b.kinds = load.Served(func(f spec.Feature) bool {
		skip := plan.SkipFeature(f, b.target)
		if skip != nil {
			b.progress.Printf("  -- pods that need %s are left out: %s", f, skip.Text)
		}
		return skip != nil
	})
	if err := b.install(ctx); err != nil {
		return err
	}
	return b.furnish(ctx)
}

func (b *testbed) makeCluster(ctx context.Context) (kubeconfig string, err error) {
	config := b.options.Cluster
	config.Temporary = !b.options.Keep
	made, err := b.parts.Clusters.Create(ctx, config)
	if err != nil {
		return "", fmt.Errorf("bring the cluster up: %w", err)
	}
	b.cluster = made.Name
	if b.options.Keep {
		b.progress.Printf("  .. cluster %s will be kept, its kubeconfig is %s", made.Name, made.Kubeconfig)
		return made.Kubeconfig, nil
	}
	b.later(func(ctx context.Context) error {
		return b.progress.Step("remove cluster "+made.Name, 0, func() error { return b.parts.Clusters.Delete(ctx, made.Name) })
	})
	return made.Kubeconfig, nil
}

// install puts the agents on the nodes, and keeps other runs from a cluster that
// others may use.
func (b *testbed) install(ctx context.Context) error {
	if b.cluster == "" {
		release, err := b.parts.Agents.Reserve(ctx, b.config)
		if err != nil {
			return err
		}
		b.later(release)
		// A cluster that was made here takes all along when it goes.
		if !b.options.Keep {
			b.later(func(ctx context.Context) error {
				return b.progress.Step("remove the test driver and what pods left", 0, func() error { return b.parts.Agents.Uninstall(ctx, b.config) })
			})
		}
	}
	workers := b.target.Workers()
	return b.progress.Step(fmt.Sprintf("install the test driver on %d node(s)", len(workers)), 5*time.Second, func() error {
		return b.parts.Agents.Install(ctx, b.config, workers)
	})
}

// furnish makes the namespace, the devices, and what the pods refer to.
func (b *testbed) furnish(ctx context.Context) error {
	var err error
	if b.drivers, b.nodes, err = b.parts.Agents.Connect(ctx, b.config); err != nil {
		return err
	}
	labels := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	ns, err := b.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "dratest-soak-", Labels: labels},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a namespace: %w", err)
	}
	b.namespace = ns.Name
	b.names = load.Names{Driver: strings.TrimPrefix(ns.Name, "dratest-") + ".dratest.io", Image: b.options.PodImage}
	for _, class := range b.names.Classes(b.kinds) {
		if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create class %s: %w", class.Name, err)
		}
	}
	for _, template := range b.names.Templates(b.kinds) {
		if _, err := b.client.ResourceV1().ResourceClaimTemplates(b.namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create template %s: %w", template.Name, err)
		}
	}
	return b.progress.Step("publish devices", 0, func() error { return b.startDriver(ctx) })
}

func (b *testbed) startDriver(ctx context.Context) error {
	config := spec.DriverConfig{Name: b.names.Driver, Profile: load.Inventory(b.kinds)}
	group, starting := errgroup.WithContext(ctx)
	for _, node := range b.target.Workers() {
		group.Go(func() error {
			if err := b.drivers.Start(starting, node, config); err != nil {
				return err
			}
			last := ""
			err := wait.PollUntilContextTimeout(starting, 200*time.Millisecond, readyTime, true, func(ctx context.Context) (bool, error) {
				status, err := b.drivers.Status(ctx, node, config.Name)
				last = status.RegistrationError + status.Problem
				return status.Registered, err
			})
			if err != nil {
				return fmt.Errorf("wait for the kubelet on %s to register the driver: %w (last seen: %q)", node, err, last)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return b.awaitPools(ctx, len(b.target.Workers())*len(config.Profile.Pools))
}

// awaitPools waits until so many pools of the driver are published as a whole: a
// kubelet that a driver registers with may wipe the node's slices before.
func (b *testbed) awaitPools(ctx context.Context, want int) error {
	got := 0
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, readyTime, true, func(ctx context.Context) (bool, error) {
		list, err := b.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + b.names.Driver})
		if err != nil {
			return false, fmt.Errorf("list slices: %w", err)
		}
		got = audit.CompletePools(list.Items)
		return got == want, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the driver's %d pools: %w (complete: %d)", want, err, got)
	}
	return nil
}

// clear deletes all pods and claims but those that have to go with their pods.
func (b *testbed) clear(ctx context.Context) error {
	pods, claims := b.client.CoreV1().Pods(b.namespace), b.client.ResourceV1().ResourceClaims(b.namespace)
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete the pods that are left: %w", err)
	}
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the claims that are left: %w", err)
	}
	for _, c := range list.Items {
		if metav1.GetControllerOf(&c) != nil {
			continue
		}
		if err := claims.Delete(ctx, c.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete claim %s, which is left: %w", c.Name, err)
		}
	}
	return nil
}

// release takes our own finalizer from claims, with which a fault kept them.
func (b *testbed) release(ctx context.Context) error {
	if b.client == nil || b.namespace == "" {
		return nil
	}
	claims := b.client.ResourceV1().ResourceClaims(b.namespace)
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the claims that are left: %w", err)
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

// close removes what prepare made, also after ctx has been cancelled.
func (b *testbed) close(ctx context.Context, failed bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	var errs []error
	if failed && b.cluster != "" {
		errs = append(errs, b.parts.Clusters.Logs(ctx, b.cluster, filepath.Join(b.options.ReportDir, "cluster")))
	}
	errs = append(errs, b.release(ctx))
	for _, do := range slices.Backward(b.undo) {
		errs = append(errs, do(ctx))
	}
	return errors.Join(errs...)
}

package testbed

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
)

// StopStrays stops the drivers of cases whose namespaces are gone. Cases that fail and are to
// keep what they have keep their drivers, too, which publish again with each start of a kubelet:
// each new slice has the scheduler try all pods that wait, also those of a case that checks that
// it does not.
func (b *Testbed) StopStrays(ctx context.Context) error {
	nodes := b.Target.Workers()
	if len(nodes) == 0 {
		return nil
	}
	strays, err := strays(ctx, b.Client)
	if err != nil || len(strays) == 0 {
		return err
	}
	drivers, _, err := b.agents.Connect(ctx, b.REST)
	if err != nil {
		return fmt.Errorf("reach the test driver: %w", err)
	}
	if c, ok := drivers.(interface{ Close() }); ok {
		defer c.Close()
	}
	var errs []error
	for _, driver := range strays {
		for _, node := range nodes {
			errs = append(errs, drivers.Stop(ctx, node, driver))
		}
	}
	return errors.Join(errs...)
}

// strays are the drivers of cases that have slices and no namespace any more, sorted.
func strays(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	slices, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	// Afterwards, as a case makes its namespace first.
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list namespaces: %w", err)
	}
	namespaces := sets.New("")
	for _, n := range list.Items {
		namespaces.Insert(n.Name)
	}
	found := sets.New[string]()
	for _, s := range slices.Items {
		if !namespaces.Has(harness.NamespaceOf(s.Spec.Driver)) {
			found.Insert(s.Spec.Driver)
		}
	}
	return sets.List(found), nil
}

package harness

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/framework/spec"
)

// maxDriverName is the API's limit for driver names (resource/v1, DriverNameMaxLength).
const maxDriverName = 63

func skipOf(p spec.Plan, id string) *spec.Skip {
	for _, e := range p.Entries {
		if e.Meta.ID == id {
			return e.Skip
		}
	}
	return nil
}

// setUp gives the case its clients, namespace, nodes and driver. What goes wrong
// here is the environment's fault, not the case's.
func (t *T) setUp() {
	t.blocked = true
	var err error
	t.Client, err = kubernetes.NewForConfig(t.env.Config)
	t.NoError(err, "make a client")
	t.objects, err = resources.New(t.env.Config)
	t.NoError(err, "make a client")
	namespace, err := t.Client.CoreV1().Namespaces().Create(t.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "dratest-",
		Labels:       map[string]string{spec.LabelManagedBy: spec.ManagedBy},
		Annotations:  map[string]string{"dratest.io/case": t.meta.ID},
	}}, metav1.CreateOptions{})
	t.NoError(err, "create namespace")
	t.Namespace = namespace.Name
	t.Nodes = pickNodes(t.env.Plan.Target.Workers(), max(1, t.meta.Needs.Nodes), t.meta.ID)
	t.Step("in namespace %s, on %s", t.Namespace, strings.Join(t.Nodes, ", "))
	if len(t.meta.Needs.Profile.Pools) > 0 {
		t.Driver = &Driver{Name: driverName(t.meta.ID, t.Namespace), t: t}
		t.Step("start driver %s", t.Driver.Name)
		t.Driver.start()
	}
	t.blocked = false
}

// pickNodes spreads cases over the nodes, the same case always to the same ones.
func pickNodes(workers []string, n int, id string) []string {
	if len(workers) <= n {
		return workers
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	first := int(h.Sum32() % uint32(len(workers)))
	picked := make([]string, 0, n)
	for i := range n {
		picked = append(picked, workers[(first+i)%len(workers)])
	}
	return picked
}

// driverName is unique because the namespace's generated suffix is.
func driverName(id, namespace string) string {
	_, name, _ := strings.Cut(id, "/")
	suffix := strings.TrimPrefix(namespace, "dratest") + ".dratest.io"
	return strings.TrimRight(name[:min(len(name), maxDriverName-len(suffix))], "-") + suffix
}

// cleanUp removes what the case made: pods first, because the kubelet needs the
// driver to unprepare, then the rest. What is stuck fails the case.
func (t *T) cleanUp(ctx context.Context) {
	if t.Namespace == "" || t.env.Keep && ginkgo.CurrentSpecReport().Failed() {
		return
	}
	t.ctx = ctx
	var errs []error
	if t.Driver != nil {
		// A driver that was told to misbehave must not keep pods from ending.
		t.Driver.heal(ctx)
	}
	errs = append(errs, t.removePods(ctx))
	for _, o := range slices.Backward(t.created) {
		if _, ok := o.(*corev1.Pod); !ok {
			errs = append(errs, ignoreNotFound(t.objects.Delete(ctx, o)))
		}
	}
	errs = append(errs, t.waitForClaims(ctx))
	if t.Driver != nil {
		errs = append(errs, t.Driver.stop(ctx))
	}
	errs = append(errs, ignoreNotFound(t.Client.CoreV1().Namespaces().Delete(ctx, t.Namespace, metav1.DeleteOptions{})))
	if err := errors.Join(errs...); err != nil {
		ginkgo.Fail(fmt.Sprintf("cleanup: %v", err))
	}
}

func (t *T) removePods(ctx context.Context) error {
	pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for _, p := range pods.Items {
		err := t.Client.CoreV1().Pods(t.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](1)})
		if ignoreNotFound(err) != nil {
			return fmt.Errorf("delete pod %s: %w", p.Name, err)
		}
	}
	return waitEmpty(ctx, "pods", func() ([]string, error) {
		pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
		return names(pods.Items, func(p corev1.Pod) string { return p.Name }), err
	})
}

func (t *T) waitForClaims(ctx context.Context) error {
	client := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete claims: %w", err)
	}
	return waitEmpty(ctx, "claims", func() ([]string, error) {
		claims, err := client.List(ctx, metav1.ListOptions{})
		return names(claims.Items, func(c resourceapi.ResourceClaim) string { return c.Name }), err
	})
}

func names[O any](items []O, name func(O) string) []string {
	out := make([]string, 0, len(items))
	for _, i := range items {
		out = append(out, name(i))
	}
	return out
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func clusterScoped(o k8s.Object) bool {
	switch o.(type) {
	case *resourceapi.DeviceClass, *resourceapi.ResourceSlice, *corev1.Namespace:
		return true
	}
	return false
}

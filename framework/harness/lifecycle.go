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

const namespacePrefix = "dratest-"

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
	ginkgo.GinkgoHelper()
	t.blocked = true
	var err error
	t.Client, err = kubernetes.NewForConfig(t.env.Config)
	t.NoError(err, "make a client")
	t.objects, err = resources.New(t.env.Config)
	t.NoError(err, "make a client")
	namespace, err := t.Client.CoreV1().Namespaces().Create(t.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: namespacePrefix,
		Labels:       map[string]string{spec.LabelManagedBy: spec.ManagedBy},
		Annotations:  map[string]string{"dratest.io/case": t.meta.ID},
	}}, metav1.CreateOptions{})
	t.NoError(err, "create namespace")
	t.Namespace = namespace.Name
	ctx := t.ctx
	t.nudging.Go(func() { t.nudge(ctx) })
	t.Nodes = pickNodes(t.env.Plan.Target.Workers(), max(1, t.meta.Needs.Nodes), t.meta.ID)
	t.Step("in namespace %s, on %s", t.Namespace, strings.Join(t.Nodes, ", "))
	if len(t.meta.Needs.Profile.Pools) > 0 {
		t.Driver = &Driver{Name: driverName(t.meta.ID, t.Namespace), t: t}
		t.Step("start driver %s", t.Driver.Name)
		t.NoError(t.Driver.start(), "start driver %s", t.Driver.Name)
		t.note("the driver is registered and its pools are published")
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
	suffix := "-" + strings.TrimPrefix(namespace, namespacePrefix) + ".dratest.io"
	return strings.TrimRight(name[:min(len(name), maxDriverName-len(suffix))], "-") + suffix
}

// cleanUp removes what the case made: pods first, because the kubelet needs the
// driver to unprepare, then the rest. What is stuck fails the case, and its
// evidence is gathered before the rest goes.
func (t *T) cleanUp(ctx context.Context) {
	if t.Namespace == "" || t.env.Keep && ginkgo.CurrentSpecReport().Failed() {
		return
	}
	t.nudging.Wait() // its context has ended
	t.ctx = ctx
	t.Step("clean up")
	if t.Driver != nil {
		// A driver that was told to misbehave must not keep pods from ending.
		t.Driver.heal(ctx)
	}
	stuck := t.removeObjects(ctx)
	if stuck != nil && t.folder == "" {
		t.gather(ctx)
	}
	errs := []error{stuck}
	if t.Driver != nil {
		errs = append(errs, t.Driver.stop(ctx))
	}
	errs = append(errs, ignoreNotFound(t.Client.CoreV1().Namespaces().Delete(ctx, t.Namespace, metav1.DeleteOptions{})))
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("clean up: %v", err)
	}
}

// removeObjects waits until pods and claims are gone; nothing else can be kept
// from going.
func (t *T) removeObjects(ctx context.Context) error {
	waiting, cancel := context.WithTimeoutCause(ctx, removeTimeout, fmt.Errorf("not after %s", removeTimeout))
	defer cancel()
	pods, claims := t.Client.CoreV1().Pods(t.Namespace), t.Client.ResourceV1().ResourceClaims(t.Namespace)
	soon := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](1)}
	errs := []error{pods.DeleteCollection(ctx, soon, metav1.ListOptions{})}
	stuck := awaitNone(waiting, "pods", newSource(t.Client, &corev1.Pod{}, pods, ""), describePod)
	for _, o := range slices.Backward(t.created) {
		if _, ok := o.(*corev1.Pod); !ok {
			errs = append(errs, ignoreNotFound(t.objects.Delete(ctx, o)))
		}
	}
	errs = append(errs, claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	if stuck == nil { // else its claims are, too
		stuck = awaitNone(waiting, "claims", newSource(t.Client, &resourceapi.ResourceClaim{}, claims, ""), describeClaim)
	}
	return errors.Join(append(errs, stuck)...)
}

// awaitNone waits until a source is empty and says what is left if it is not.
func awaitNone[O k8s.Object](ctx context.Context, what string, from source, describe func(O) string) error {
	var left []string
	err := followAll(ctx, from, func(all []O) bool {
		left = nil
		for _, o := range all {
			left = append(left, o.GetName()+": "+describe(o))
		}
		slices.Sort(left)
		return len(left) == 0
	})
	if err != nil {
		return fmt.Errorf("remove %s: %w; left: %s", what, err, strings.Join(left, ", "))
	}
	return nil
}

func names[O k8s.Object](objects []O) []string {
	out := make([]string, 0, len(objects))
	for _, o := range objects {
		out = append(out, o.GetName())
	}
	slices.Sort(out)
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

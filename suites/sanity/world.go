package sanity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// interval is the time between two looks at something that has to come.
	interval = 50 * time.Millisecond
	// closing bounds the removal of what was made.
	closing = 15 * time.Second
	// consumer is the name of the pod that claims are reserved for.
	consumer = "consumer"
)

// world is what all checks of a run share.
type world struct {
	Options
	Subject

	conn      *grpc.ClientConn
	versions  []spec.GRPCVersion // that the driver serves
	namespace string
	// pod never runs: claims are reserved for it, as they are when a kubelet calls.
	pod *corev1.Pod
	// class are the class's configurations.
	class []resourceapi.DeviceClassConfiguration
	// refused is a configuration that the driver does not take, once one was found.
	refused json.RawMessage
	// spoiled are devices that cannot be prepared any more, with the check that failed
	// before that.
	spoiled map[pools.ID]string
	// awaited is set when the driver has been given its time to publish devices.
	awaited bool
	// silent is the check since whose failure the driver has not answered; empty while it
	// answers.
	silent string
}

// open connects to the driver and makes the namespace with the pod in it.
func open(ctx context.Context, subject Subject, o Options) (_ *world, err error) {
	w := &world{Options: o, Subject: subject, spoiled: map[pools.ID]string{}}
	// Once without gRPC, which would hide the reason in its own words.
	first, err := subject.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to driver %s: %w", o.Driver, err)
	}
	_ = first.Close()
	// The address only names the socket; the Subject leads there.
	w.conn, err = grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return subject.Dial(ctx) }))
	if err != nil {
		return nil, fmt.Errorf("connect to driver %s: %w", o.Driver, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(context.WithoutCancel(ctx)))
		}
	}()
	if w.versions, err = w.served(ctx); err != nil {
		return nil, err
	}
	if o.Class != "" {
		class, err := o.Client.ResourceV1().DeviceClasses().Get(ctx, o.Class, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get device class: %w", err)
		}
		w.class = class.Spec.Config
	}
	return w, w.populate(ctx)
}

// served asks for nothing in each version of the plugin API.
func (w *world) served(ctx context.Context) ([]spec.GRPCVersion, error) {
	var versions []spec.GRPCVersion
	for _, version := range []spec.GRPCVersion{spec.GRPCv1, spec.GRPCv1beta1} {
		err := w.answers(ctx, version)
		switch status.Code(err) {
		case codes.Unimplemented:
		case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
			return nil, fmt.Errorf("driver %s does not answer: %w", w.Driver, err)
		default:
			versions = append(versions, version)
		}
	}
	if len(versions) == 0 {
		return nil, fmt.Errorf("driver %s serves neither v1 nor v1beta1 of the plugin API at this socket: is it the one that the driver registers, and not the registration socket?", w.Driver)
	}
	return versions, nil
}

// answers asks for nothing in one version, also where the last connection has failed.
func (w *world) answers(ctx context.Context, version spec.GRPCVersion) error {
	ctx, cancel := context.WithTimeout(ctx, w.CallTimeout)
	defer cancel()
	// gRPC itself would wait for a second or more before it tries again.
	w.conn.ResetConnectBackoff()
	_, err := w.plugin(version).NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{})
	return err
}

func (w *world) plugin(version spec.GRPCVersion) drapb.DRAPluginClient {
	if version == spec.GRPCv1beta1 {
		return drapbv1beta1.V1Beta1ClientWrapper{DRAPluginClient: drapbv1beta1.NewDRAPluginClient(w.conn)}
	}
	return drapb.NewDRAPluginClient(w.conn)
}

// populate makes the namespace and the pod. The pod is held back from the scheduler, so
// that no kubelet ever sees it and no image is pulled.
func (w *world) populate(ctx context.Context) error {
	labels := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "dratest-sanity-", Labels: map[string]string{
		spec.LabelManagedBy: spec.ManagedBy, resourceapi.DRAAdminNamespaceLabelKey: "true",
	}}}
	made, err := w.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make a namespace for claims: %w", err)
	}
	w.namespace = made.Name
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: consumer, Labels: labels}}
	if _, err := w.Client.CoreV1().ServiceAccounts(w.namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make a service account: %w", err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: consumer, Labels: labels}, Spec: corev1.PodSpec{
		ServiceAccountName: consumer, AutomountServiceAccountToken: ptr.To(false),
		SchedulingGates: []corev1.PodSchedulingGate{{Name: "dra-conformance.github.io/never"}},
		Containers:      []corev1.Container{{Name: "main", Image: "dra-conformance.github.io/never-runs"}},
	}}
	if w.pod, err = w.Client.CoreV1().Pods(w.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make a pod that claims can be reserved for: %w", err)
	}
	return nil
}

// close removes what populate made. Claims are gone by then.
func (w *world) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	err := w.conn.Close()
	if w.namespace == "" {
		return err
	}
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	// Not left to the namespace: in a cluster without controllers that keeps what is in it.
	return errors.Join(err,
		gone(w.Client.CoreV1().Pods(w.namespace).Delete(ctx, consumer, now)),
		gone(w.Client.CoreV1().ServiceAccounts(w.namespace).Delete(ctx, consumer, now)),
		gone(w.Client.CoreV1().Namespaces().Delete(ctx, w.namespace, metav1.DeleteOptions{})))
}

func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// await looks until something is so, for the time that a driver has to publish.
func (t *T) await(is func(context.Context) bool) bool { return t.awaitFor(t.PublishTimeout, is) }

// awaitFor looks for so long.
func (t *T) awaitFor(limit time.Duration, is func(context.Context) bool) bool {
	return wait.PollUntilContextTimeout(t.ctx, interval, limit, true, func(ctx context.Context) (bool, error) {
		return is(ctx), nil
	}) == nil
}

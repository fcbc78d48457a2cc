package harness

import (
	"bytes"
	"context"
	"time"

	"k8s.io/client-go/rest"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/kube"
)

// Object is an object of Kubernetes' API.
type Object = ctrlclient.Object

// DeleteOption is an option of T.Delete.
type DeleteOption = ctrlclient.DeleteOption

// GracePeriod is for how long the processes of a deleted pod may end by themselves.
func GracePeriod(d time.Duration) DeleteOption {
	return ctrlclient.GracePeriodSeconds(int64(d.Seconds()))
}

// Objects reads and writes objects of any kind.
type Objects interface {
	Create(ctx context.Context, o Object, options ...ctrlclient.CreateOption) error
	Get(ctx context.Context, name, namespace string, o Object) error
	Delete(ctx context.Context, o Object, options ...DeleteOption) error
	ExecInPod(ctx context.Context, namespace, pod, container string, command []string, stdout, stderr *bytes.Buffer) error
}

// apiObjects are those of an API server.
type apiObjects struct {
	ctrlclient.Client
	config *rest.Config
}

func (a apiObjects) Get(ctx context.Context, name, namespace string, o Object) error {
	return a.Client.Get(ctx, ctrlclient.ObjectKey{Namespace: namespace, Name: name}, o)
}

func (a apiObjects) ExecInPod(ctx context.Context, namespace, pod, container string, command []string, stdout, stderr *bytes.Buffer) error {
	return kube.Exec(ctx, a.config, namespace, pod, container, command, stdout, stderr)
}

package metrics

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/forward"
)

// Component reads the metrics of a component of the control plane that runs in a pod and
// serves them with TLS on a port of it, also where it listens on the loopback address
// only. The token is one that may get /metrics there; the certificate is not checked, as
// components sign their own, and the API server leads to the pod itself.
func Component(ctx context.Context, config *rest.Config, client kubernetes.Interface, pod *corev1.Pod, port int, token string) (Families, error) {
	families, err := throughForward(ctx, config, client, pod, port, token)
	if err != nil {
		return nil, fmt.Errorf("read metrics of pod %s: %w", pod.Name, err)
	}
	return families, nil
}

func throughForward(ctx context.Context, config *rest.Config, client kubernetes.Interface, pod *corev1.Pod, port int, token string) (families Families, err error) {
	err = forward.To(ctx, config, client, pod, port, func(address string) (err error) {
		families, err = get(ctx, "https://"+address+"/metrics", token)
		return err
	})
	return families, err
}

// get reads metrics of a component that signs its own certificate.
func get(ctx context.Context, url, token string) (Families, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see Component
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	return Parse(response.Body)
}

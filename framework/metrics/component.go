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

package metrics

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Component reads the metrics of a control plane pod served with TLS on one of its ports, possibly on loopback only.
// The token must grant access to /metrics; the certificate is not verified, since components sign their own and the
// API server connects to the pod itself.
func Component(ctx context.Context, config *rest.Config, client kubernetes.Interface, pod *corev1.Pod, port int, token string) (Families, error) {
	families, err := throughForward(ctx, config, client, pod, port, token)
	if err != nil {
		return nil, fmt.Errorf("read metrics of pod %s: %w", pod.Name, err)
	}
	return families, nil
}

func throughForward(ctx context.Context, config *rest.Config, client kubernetes.Interface, pod *corev1.Pod, port int, token string) (families Families, err error) {
	err = Forward(ctx, config, client, pod, port, func(address string) (err error) {
		families, err = get(ctx, "https://"+address+"/metrics", token)
		return err
	})
	return families, err
}

// get reads the metrics of a component with a self-signed certificate.
func get(ctx context.Context, url, token string) (Families, error) {
	insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see Component
	defer insecure.CloseIdleConnections()
	return Get(ctx, &http.Client{Transport: transport.NewBearerAuthRoundTripper(token, insecure)}, url)
}

// Get reads the metrics at a URL with an authorized client.
func Get(ctx context.Context, client *http.Client, url string) (Families, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	return Parse(response.Body)
}

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

package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/kube"
)

// healthTimeout is how long one answer may take.
const healthTimeout = 5 * time.Second

func connect(kubeconfig string) (api, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return api{}, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS = -1 // this API server has no other users
	client, err := kube.NewForConfig(config)
	if err != nil {
		return api{}, fmt.Errorf("make a client: %w", err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return api{}, fmt.Errorf("make a client: %w", err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return api{}, fmt.Errorf("make a client: %w", err)
	}
	asks := &http.Client{Transport: transport, Timeout: healthTimeout}
	return api{
		client:  client,
		healthy: func(ctx context.Context, url string) error { return healthy(ctx, asks, url) },
		apply:   func(ctx context.Context, manifest []byte) error { return apply(ctx, objects, manifest) },
	}, nil
}

func healthy(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", url, answer.Status, strings.TrimSpace(string(body)))
	}
	return err
}

// apply creates the objects of a manifest except workloads, since those run as local processes.
func apply(ctx context.Context, client dynamic.Interface, manifest []byte) error {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		o := &unstructured.Unstructured{}
		if err == nil {
			err = sigsyaml.Unmarshal(document, &o.Object)
		}
		if err != nil {
			return fmt.Errorf("read the manifest: %w", err)
		}
		if len(o.Object) == 0 || o.GetKind() == "Deployment" {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		var to dynamic.ResourceInterface = client.Resource(plural)
		if o.GetNamespace() != "" {
			to = client.Resource(plural).Namespace(o.GetNamespace())
		}
		if _, err := to.Create(ctx, o, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
}

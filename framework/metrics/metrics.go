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
	"bytes"
	"context"
	"fmt"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/limit"
)

// Families are metrics by name.
type Families map[string]*dto.MetricFamily

// maxText is the size limit of a component's metrics, in bytes. Those of a busy API server take tens of MiB.
const maxText = 256 << 20

// Parse reads all metrics of a text.
func Parse(text io.Reader) (families Families, err error) {
	defer func() {
		// The parser panics on some malformed texts, such as a sample without a name after a histogram's type.
		if problem := recover(); problem != nil {
			families, err = nil, fmt.Errorf("parse metrics: the parser panicked: %v", problem)
		}
	}()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err = parser.TextToMetricFamilies(limit.Reader(text, maxText))
	if err != nil {
		return nil, fmt.Errorf("parse metrics: %w", err)
	}
	return families, nil
}

// Kubelet reads the metrics of a node's kubelet through the API server.
func Kubelet(ctx context.Context, client kubernetes.Interface, node string) (Families, error) {
	text, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("read metrics of the kubelet on %s: %w", node, err)
	}
	families, err := Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read metrics of the kubelet on %s: %w", node, err)
	}
	return families, nil
}

// APIServer reads the metrics of the answering API server.
func APIServer(ctx context.Context, client kubernetes.Interface) (Families, error) {
	text, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the API server's metrics: %w", err)
	}
	families, err := Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the API server's metrics: %w", err)
	}
	return families, nil
}

// Label is the value of a metric's label, empty if missing.
func Label(metric *dto.Metric, name string) string {
	for _, l := range metric.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

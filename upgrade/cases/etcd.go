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

package cases

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/objects"
)

const (
	// etcdPort is etcd's client port.
	etcdPort = 2379
	// pkiFolder is kubeadm's directory of control plane keys, including the API server's etcd
	// client key.
	pkiFolder = "/etc/kubernetes/pki"
	keyReader = "key-reader"
)

// putStored writes an object of the case's namespace directly into etcd, as if another API server
// had written it. It is only for clusters created for the run, with default storage paths.
func putStored(t *harness.T, resource, name string, object any) {
	ginkgo.GinkgoHelper()
	t.Step("write %s %s into etcd", resource, name)
	content, err := json.Marshal(object)
	t.NoError(err, "write JSON")
	certificate := etcdCertificate(t)
	pod, err := t.Client.CoreV1().Pods(metav1.NamespaceSystem).Get(t.Context(), "etcd-"+t.Target().ControlPlane(), metav1.GetOptions{})
	t.NoError(err, "find etcd")
	// The server's certificate is not verified: the connection goes to the pod through the API
	// server.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}}} //nolint:gosec // see above
	defer transport.CloseIdleConnections()
	err = metrics.Forward(t.Context(), t.Env().Config, t.Client, pod, etcdPort, func(address string) error {
		return put(t.Context(), &http.Client{Transport: transport}, "https://"+address, "/registry/"+resource+"/"+t.Namespace+"/"+name, content)
	})
	t.NoError(err, "write %s %s into etcd", resource, name)
}

func etcdCertificate(t *harness.T) tls.Certificate {
	ginkgo.GinkgoHelper()
	pod := objects.Pod(keyReader, t.Image)
	pod.Spec.NodeName = t.Target().ControlPlane()
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "pki", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: pkiFolder}}}}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "pki", MountPath: pkiFolder, ReadOnly: true}}
	t.RunPod(pod)
	read := func(file string) []byte {
		return []byte(t.Exec(keyReader, "main", "cat "+pkiFolder+"/"+file))
	}
	certificate, err := tls.X509KeyPair(read("apiserver-etcd-client.crt"), read("apiserver-etcd-client.key"))
	t.NoError(err, "use the API server's certificate for etcd")
	t.RemovePod(keyReader)
	return certificate
}

func put(ctx context.Context, client *http.Client, server, key string, value []byte) error {
	body, err := json.Marshal(struct {
		Key   []byte `json:"key"` // as base64
		Value []byte `json:"value"`
	}{[]byte(key), value})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/v3/kv/put", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(response.Body)
		return fmt.Errorf("etcd answers %s: %s", response.Status, said)
	}
	return nil
}

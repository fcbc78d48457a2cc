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
	"crypto/x509"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

// Certificates were valid only from their creation, so setting the clock back made the control plane unusable. etcd
// trusted the authority of all components: the scheduler's certificate granted all rights in etcd.
func TestSecrets(t *testing.T) {
	l := layout{dir: t.TempDir()}
	kubeconfig := l.file("kubeconfig")
	if err := writeSecrets(l, "x", kubeconfig); err != nil {
		t.Fatal(err)
	}
	pool := func(file string) *x509.CertPool {
		t.Helper()
		p, err := cert.NewPool(l.pki(file))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	parse := func(pem []byte) *x509.Certificate {
		t.Helper()
		all, err := cert.ParseCertsPEM(pem)
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	read := func(path string) []byte {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v, %v", path, info, err)
		}
		return content
	}
	certificates := map[string]*x509.Certificate{"server": parse(read(l.pki("server.crt")))}
	for name, path := range map[string]string{"admin": kubeconfig, scheduler: l.kubeconfig(scheduler)} {
		config, err := clientcmd.RESTConfigFromKubeConfig(read(path))
		if err != nil {
			t.Fatal(err)
		}
		certificates[name] = parse(config.CertData)
	}
	ofEtcd := map[string]*x509.Certificate{"etcd-server": parse(read(l.pki("etcd-server.crt"))), "etcd-client": parse(read(l.pki("etcd-client.crt")))}
	for _, at := range []time.Time{time.Now(), time.Now().Add(-30 * 24 * time.Hour)} {
		for _, trust := range []struct {
			by           *x509.CertPool
			all, nothing map[string]*x509.Certificate
		}{{pool("ca.crt"), certificates, ofEtcd}, {pool("etcd-ca.crt"), ofEtcd, certificates}} {
			options := x509.VerifyOptions{Roots: trust.by, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
			for name, c := range trust.all {
				if _, err := c.Verify(options); err != nil {
					t.Errorf("%s at %s: %v", name, at, err)
				}
			}
			for name, c := range trust.nothing {
				if _, err := c.Verify(options); err == nil {
					t.Errorf("%s is trusted by the other authority", name)
				}
			}
		}
	}
}

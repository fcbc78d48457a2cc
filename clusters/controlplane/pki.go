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
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// validity of certificates is longer than the life of any test cluster.
const validity = 10 * 365 * 24 * time.Hour

// authority signs the certificates of one cluster. Its key is never written to disk, so nobody can add certificates
// later.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// pair is a certificate with its key, as PEM.
type pair struct{ cert, key []byte }

func newAuthority(name string) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("make the key of the certificate authority: %w", err)
	}
	// The certificate stays valid if the clock is set back.
	ca, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name, NotBefore: time.Now().Add(-validity)}, key)
	if err != nil {
		return authority{}, fmt.Errorf("make the certificate authority: %w", err)
	}
	return authority{ca, key}, nil
}

func (a authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: a.cert.Raw})
}

// sign makes a certificate for user and groups, valid for local servers and for clients.
func (a authority) sign(user string, groups ...string) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("make the key of %s: %w", user, err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(math.MaxInt64))
	if err != nil {
		return pair{}, fmt.Errorf("make the certificate of %s: %w", user, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		Subject:      pkix.Name{CommonName: user, Organization: groups},
		SerialNumber: serial,
		NotBefore:    a.cert.NotBefore, NotAfter: time.Now().Add(validity),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.ParseIP(loopback)},
	}, a.cert, key.Public(), a.key)
	if err != nil {
		return pair{}, fmt.Errorf("sign the certificate of %s: %w", user, err)
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return pair{}, fmt.Errorf("write the key of %s: %w", user, err)
	}
	return pair{pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der}), text}, nil
}

type identity struct {
	user   string
	groups []string
}

// identities returns the identities of client processes. Own controllers use the service account of their manifest.
func identities() map[string]identity {
	return map[string]identity{
		controllerManager: {user: "system:kube-controller-manager"},
		scheduler:         {user: "system:kube-scheduler"},
		ownControllers: {
			user:   "system:serviceaccount:kube-system:" + ownControllers,
			groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system"},
		},
		kwok: {user: "kwok", groups: []string{"system:masters"}},
	}
}

func writeSecrets(l layout, name, kubeconfig string) error {
	ca, err := newAuthority("dratest")
	if err != nil {
		return err
	}
	// etcd grants all rights to each client with a certificate of its authority.
	etcdCA, err := newAuthority("dratest-etcd")
	if err != nil {
		return err
	}
	files := map[string][]byte{l.pki("ca.crt"): ca.pem(), l.pki("etcd-ca.crt"): etcdCA.pem()}
	for file, by := range map[string]authority{"server": ca, "etcd-server": etcdCA, "etcd-client": etcdCA} {
		p, err := by.sign(file)
		if err != nil {
			return err
		}
		files[l.pki(file+".crt")], files[l.pki(file+".key")] = p.cert, p.key
	}
	if err := accountKeys(l, files); err != nil {
		return err
	}
	clients := map[string]identity{kubeconfig: {user: "kubernetes-admin", groups: []string{"system:masters"}}}
	for process, of := range identities() {
		clients[l.kubeconfig(process)] = of
	}
	for path, of := range clients {
		p, err := ca.sign(of.user, of.groups...)
		if err != nil {
			return err
		}
		if files[path], err = kubeconfigFor(name, l.url(apiserver), ca.pem(), of.user, p); err != nil {
			return err
		}
	}
	for path, content := range files {
		if err := writeFile(path, content); err != nil {
			return err
		}
	}
	return nil
}

// accountKeys adds the signing keys of service account tokens.
func accountKeys(l layout, files map[string][]byte) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make the key of service accounts: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("write the key of service accounts: %w", err)
	}
	if files[l.pki("sa.key")], err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return fmt.Errorf("write the key of service accounts: %w", err)
	}
	files[l.pki("sa.pub")] = pem.EncodeToMemory(&pem.Block{Type: keyutil.PublicKeyBlockType, Bytes: public})
	return nil
}

func kubeconfigFor(cluster, server string, ca []byte, user string, p pair) ([]byte, error) {
	name := "dratest-" + cluster
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: p.cert, ClientKeyData: p.key}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	data, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return data, nil
}

// writeFile writes a file readable by this user only.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

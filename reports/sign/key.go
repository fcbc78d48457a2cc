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

package sign

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"

	"github.com/dra-conformance/dratest/reports"
)

// ErrKey means the key is of the wrong kind, or not a key.
var ErrKey = errors.New("the key cannot be used")

// Key is an ed25519 key. A public key can only verify.
type Key struct {
	*signerverifier.ED25519SignerVerifier

	// ID is derived from the public key.
	ID      string
	private bool
}

// KeyID is empty: verifiers skip signatures with a hint different from their own ID of the key, and
// tools use different IDs. The hint is not signed.
func (Key) KeyID() (string, error) { return "", nil }

// SignStatement returns a DSSE envelope.
func (k Key) SignStatement(ctx context.Context, statement []byte) (file string, content []byte, err error) {
	signer, err := dsse.NewEnvelopeSigner(k)
	if err != nil {
		return "", nil, err
	}
	signed, err := signer.SignPayload(ctx, PayloadType, statement)
	if err != nil {
		return "", nil, err
	}
	content, err = json.MarshalIndent(signed, "", "  ")
	return reports.SignatureFile, append(content, '\n'), err
}

// NewKey generates a key and returns it as PEM: PKCS #8 and PKIX.
func NewKey() (private, public []byte, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	privateDER, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	publicDER, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: privateDER}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicDER}), nil
}

// PrivateKey decodes a signing key from PEM, PublicKey a verification key. All errors are ErrKey.
func PrivateKey(data []byte) (Key, error) {
	key, err := readKey(data)
	if err == nil && !key.private {
		return Key{}, fmt.Errorf("%w: it is a public key, and only the private one signs", ErrKey)
	}
	return key, err
}

// PublicKey decodes a verification key, see PrivateKey.
func PublicKey(data []byte) (Key, error) {
	key, err := readKey(data)
	if err == nil && key.private {
		return Key{}, fmt.Errorf("%w: it is a private key, which nobody else should have: verify with the public one", ErrKey)
	}
	return key, err
}

func readKey(data []byte) (Key, error) {
	loaded, err := signerverifier.LoadKey(data)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w: make one with \"dratest report keygen\"", ErrKey, err)
	}
	if loaded.KeyType != signerverifier.ED25519KeyType {
		return Key{}, fmt.Errorf("%w: it is of kind %s, and must be ed25519: make one with \"dratest report keygen\"", ErrKey, loaded.KeyType)
	}
	key, err := signerverifier.NewED25519SignerVerifierFromSSLibKey(loaded)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return Key{ED25519SignerVerifier: key, ID: loaded.KeyID, private: loaded.KeyVal.Private != ""}, nil
}

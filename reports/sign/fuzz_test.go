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

package sign_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// FuzzVerify checks that a signature is accepted only with the signed payload and the signed report. The seed signature
// and its public key are files, because each process of a fuzz run would generate another key.
func FuzzVerify(f *testing.F) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
	report, signature := read(reports.ConformanceFile), read(reports.SignatureFile)
	key, err := sign.PublicKey(read("test.pub"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signature, report)
	f.Add([]byte(`{"payloadType":"`+sign.PayloadType+`","payload":"e30=","signatures":[{"sig":"AA=="},null]}`), report)
	f.Add(bytes.ReplaceAll(signature, []byte("in-toto"), []byte("other")), report)
	f.Fuzz(func(t *testing.T, envelope, conformance []byte) {
		dir := fstest.MapFS{reports.ConformanceFile: {Data: conformance}, reports.SignatureFile: {Data: envelope}}
		s, reasons, err := sign.Verify(t.Context(), dir, &key)
		if err != nil || len(reasons) > 0 {
			return
		}
		if _, err := schema.DecodeConformance(conformance); err == nil && !bytes.Equal(conformance, report) {
			t.Errorf("another report is accepted:\n%s", conformance)
		}
		if !s.Checked || payload(t, envelope) != payload(t, signature) {
			t.Errorf("%+v for the signature %s", s, envelope)
		}
	})
}

func payload(t *testing.T, envelope []byte) string {
	t.Helper()
	var e dsse.Envelope
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	content, err := e.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

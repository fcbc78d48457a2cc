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

package schema_test

import (
	"reflect"
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/render/html"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/render/markdown"
	"github.com/dra-conformance/dratest/reports/schema"
)

// FuzzDecode checks that a decoded report survives a round trip and can be rendered in all formats.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"` + schema.Version + `","cases":[{"id":"a/b","status":"Failed","requires":[{"id":"r"}],"steps":["s"]}]}`))
	f.Add([]byte(`{"schemaVersion":"` + schema.Version + `","cases":[null],"problems":["\u001b[2J"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := schema.Decode(data)
		if err != nil {
			return
		}
		fuzztest.RoundTrip(t, r, schema.Encode, schema.Decode)
		if _, err := html.Render(r, nil); err != nil {
			t.Errorf("report.html: %v", err)
		}
		if _, err := junit.Render(r); err != nil {
			t.Errorf("junit.xml: %v", err)
		}
		if text := string(markdown.Render(r)); spec.Printable(text) != text {
			t.Errorf("report.md has control characters: %q", text)
		}
	})
}

// FuzzDecodeConformance checks that a decoded conformance report survives a round trip and is printable.
func FuzzDecodeConformance(f *testing.F) {
	f.Add([]byte("apiVersion: " + schema.ConformanceVersion + "\nkind: " + schema.ConformanceKind + "\nresult: passed\ncases:\n- {id: a/b, result: passed}\n"))
	f.Add([]byte("apiVersion: " + schema.ConformanceVersion + "\nkind: " + schema.ConformanceKind + "\nreasons: &a [\"\\e[2J\"]\ndriver: {name: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := schema.DecodeConformance(data)
		if err != nil {
			return
		}
		if !reflect.DeepEqual(c, schema.Printable(c)) {
			t.Error("a text is not printable")
		}
		fuzztest.RoundTrip(t, c, schema.EncodeConformance, schema.DecodeConformance)
	})
}

// FuzzDecodeTimeline checks that a decoded timeline survives a round trip.
func FuzzDecodeTimeline(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"` + spec.TimelineVersion + `","entries":[{"time":"2027-01-02T03:04:05Z","source":"kubelet","text":"a\u001b[2J"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if timeline, err := schema.DecodeTimeline(data); err == nil {
			fuzztest.RoundTrip(t, timeline, fuzztest.JSON, schema.DecodeTimeline)
		}
	})
}

// FuzzDecodeCertificate checks that a decoded certificate survives a round trip.
func FuzzDecodeCertificate(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":"` + schema.CertificateVersion + `","cases":[{"id":"a/b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := schema.DecodeCertificate(data); err == nil {
			fuzztest.RoundTrip(t, c, schema.EncodeCertificate, schema.DecodeCertificate)
		}
	})
}

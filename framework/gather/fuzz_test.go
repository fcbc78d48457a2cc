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

package gather

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// FuzzCDI checks that the redacted CDI spec of a driver can be read, and has no value left to remove.
func FuzzCDI(f *testing.F) {
	f.Add([]byte(`{"cdiVersion":"0.6.0","kind":"a/b","devices":[{"name":"d","containerEdits":{"ENV":["A=secret","secret"],"mounts":[{"options":["o=secret"]}],"hooks":[{"args":["secret"]}]}}],"annotations":{"a":"secret"}}`))
	f.Add([]byte("env: &a [A=secret]\nEnv: {b: *a}\nargs: secret\noptions: [[a=b], 1, null]\n"))
	// An archive that is redacted again has the same content.
	f.Add([]byte(`{"ENV":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := CDI(data)
		if err != nil {
			return
		}
		twice, err := CDI(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s is redacted to %s, then to %s (%v)", data, once, twice, err)
		}
	})
}

// FuzzScrub checks that the value of a pod's environment variable is in no log, however it is surrounded.
func FuzzScrub(f *testing.F) {
	f.Add("hunter2-hunter2", "password=", " -----BEGIN PRIVATE KEY-----")
	f.Add("correct horse battery", "{\"env\":\"", "\"} -----END RSA PRIVATE KEY-----\n")
	f.Add("aaaaaaaa", "aaa", "aaaa")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		secret = strings.TrimSpace(secret)
		if len(secret) < minSecret || strings.ContainsAny(secret, "()") {
			return // parentheses of leftOut may be part of it
		}
		pod := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Env: []corev1.EnvVar{{Name: "A", Value: secret}}}}}}
		log := NewScrubber([]corev1.Pod{pod}, nil).Scrub([]byte(before + secret + after))
		if bytes.Contains(log, []byte(secret)) {
			t.Errorf("%q is in %q", secret, log)
		}
	})
}

// FuzzClean checks that no free-form content of an object is left, whatever else it has.
func FuzzClean(f *testing.F) {
	f.Add([]byte("metadata: {annotations: {a: SECRET}}\nspec: {devices: {config: [{opaque: {driver: d, parameters: {a: SECRET}}}]}}\nstatus: {devices: [{data: {a: SECRET}}, null]}\n"))
	f.Add([]byte("spec: {metadata: {annotations: null}, spec: [{status: {devices: SECRET}}]}\nopaque: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var content any
		if yaml.Unmarshal(data, &content) != nil {
			return
		}
		Clean(content)
		once, err := yaml.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		Clean(content)
		if twice, err := yaml.Marshal(content); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s (%v)", once, twice, err)
		}
	})
}

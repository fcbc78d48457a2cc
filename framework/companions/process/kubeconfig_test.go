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

package process_test

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/framework/companions/process"
)

// The kubeconfig of a proxy before the API server has no user. Cases with companions were blocked behind such a proxy.
func TestImpersonatesThroughAProxyWithoutUser(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "of-proxy"), filepath.Join(dir, "of-program")
	const ofProxy = `{"apiVersion": "v1", "kind": "Config", "current-context": "proxy",
		"contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": ""}}],
		"clusters": [{"name": "proxy", "cluster": {"server": "http://127.0.0.1:1"}}]}`
	if err := os.WriteFile(from, []byte(ofProxy), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := process.WriteKubeconfig(to, from, "", "somebody"); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", to)
	if err != nil {
		t.Fatal(err)
	}
	if config.Impersonate.UserName != "somebody" || config.Host != "http://127.0.0.1:1" {
		t.Errorf("got user %q of %s", config.Impersonate.UserName, config.Host)
	}
	if err := process.WriteKubeconfig(to, from, "missing", "somebody"); err == nil {
		t.Error("a missing context is accepted")
	}
}

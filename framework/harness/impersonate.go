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

package harness

import (
	"github.com/onsi/ginkgo/v2"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// As returns a client that impersonates a user, such as a service account or a node. If the run's
// own user must not impersonate, its requests are forbidden.
func (t *T) As(user rest.ImpersonationConfig) kubernetes.Interface {
	ginkgo.GinkgoHelper()
	open := t.env.Connect
	if open == nil {
		open = connect
	}
	config := rest.CopyConfig(t.env.Config)
	config.Impersonate = user
	client, _, err := open(config)
	t.NoError(err, "make a client for user %s", user.UserName)
	return client
}

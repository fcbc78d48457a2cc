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

package process

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes a kubeconfig with one context of another one, the current one if empty, impersonating user,
// as "system:serviceaccount:namespace:name".
func WriteKubeconfig(path, from, context, user string) error {
	raw, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{ExplicitPath: from},
		&clientcmd.ConfigOverrides{CurrentContext: context}).RawConfig()
	if err != nil {
		return err
	}
	if context != "" {
		raw.CurrentContext = context
	}
	used := raw.Contexts[raw.CurrentContext]
	if used == nil {
		return fmt.Errorf("kubeconfig %s has no context %q", from, raw.CurrentContext)
	}
	if raw.AuthInfos[used.AuthInfo] == nil { // a proxy that authenticates its clients' requests itself
		used.AuthInfo = "impersonator"
		raw.AuthInfos[used.AuthInfo] = clientcmdapi.NewAuthInfo()
	}
	raw.AuthInfos[used.AuthInfo].Impersonate = user
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return err
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return err
	}
	return clientcmd.WriteToFile(raw, path)
}

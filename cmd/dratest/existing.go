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

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/framework/testbed"
)

// findExisting replaces the provider "existing" with the kubeconfig and context that kubectl would use: --kubeconfig, else
// $KUBECONFIG, else ~/.kube/config. Without this provider nothing reads them, so that no cluster is used by accident.
func findExisting(out io.Writer, c *testbed.Config) error {
	if c.Cluster.Provider != testbed.Existing {
		return nil
	}
	c.Cluster.Provider = ""
	if c.Kubeconfig == "" && !c.InCluster {
		file, context, err := defaultKubeconfig(c.Context)
		if err != nil {
			return fmt.Errorf("provider: existing: %w", err)
		}
		_, _ = fmt.Fprintf(out, "  -- context %s of %s\n", context, file)
		c.Kubeconfig, c.Context = file, context
	}
	return nil
}

// defaultKubeconfig finds the file with a context among the default ones, and the context if none is given.
func defaultKubeconfig(context string) (file, name string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.MigrationRules, rules.WarnIfAllMissing = nil, false
	config, err := rules.Load()
	if err != nil {
		return "", "", err
	}
	files := strings.Join(rules.Precedence, ", ")
	if len(config.Contexts) == 0 {
		return "", "", fmt.Errorf("no contexts in %s: give --kubeconfig", files)
	}
	name = cmp.Or(context, config.CurrentContext)
	if name == "" {
		return "", "", fmt.Errorf("no current context in %s: give --context", files)
	}
	c := config.Contexts[name]
	if c == nil {
		return "", "", fmt.Errorf("no context %q in %s, only %s", name, files, strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", "))
	}
	cluster, user := config.Clusters[c.Cluster], config.AuthInfos[c.AuthInfo]
	if cluster != nil && cluster.LocationOfOrigin != c.LocationOfOrigin || user != nil && user.LocationOfOrigin != c.LocationOfOrigin {
		return "", "", fmt.Errorf("context %q refers to a cluster or user in another file: run \"kubectl config view --flatten --minify --context=%s > FILE\" and give --kubeconfig FILE", name, name)
	}
	return c.LocationOfOrigin, name, nil
}

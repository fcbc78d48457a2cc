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

package api

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestRuntimeConfig(t *testing.T) {
	for args, want := range map[string]bool{
		"--runtime-config=resource.k8s.io/v1beta1=true":                                           true,
		"--runtime-config=x/v1=true,resource.k8s.io/v1beta1":                                      true,
		"--runtime-config=resource.k8s.io/v1beta1/devicetaintrules=true":                          true,
		"--runtime-config=api/all=true":                                                           true,
		"--runtime-config=api/beta=true":                                                          true,
		"--runtime-config=api/alpha=true":                                                         false,
		"--runtime-config=resource.k8s.io/v1beta1=false":                                          false,
		"--runtime-config=resource.k8s.io/v1beta2=true":                                           false,
		"--feature-gates=resource.k8s.io/v1beta1=true":                                            false,
		"--runtime-config=":                                                                       false,
		"--runtime-config resource.k8s.io/v1beta1=true":                                           true,
		"--runtime-config":                                                                        false,
		"--runtime-config=api/all=true,resource.k8s.io/v1beta1=false":                             false,
		"--runtime-config=resource.k8s.io/v1beta1=false,api/beta=true":                            false,
		"--runtime-config=api/beta=false,api/all=true":                                            false,
		"--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta1=false":             false,
		"--runtime-config=resource.k8s.io/v1beta1=false --runtime-config=resource.k8s.io/v1beta1": true,
	} {
		config := runtimeConfig([]corev1.Container{{Command: append([]string{"kube-apiserver"}, strings.Fields(args)...)}})
		if got := enables(config, "v1beta1"); got != want {
			t.Errorf("%s: %t, want %t", args, got, want)
		}
	}
	if !enables(map[string]bool{"api/alpha": true}, "v1alpha3") {
		t.Error("an alpha version is not switched on by api/alpha")
	}
}

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

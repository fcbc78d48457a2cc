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

package startup

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	kubeletconfigv1beta1 "k8s.io/kubelet/config/v1beta1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"sigs.k8s.io/yaml"
)

// initLogging applies the logging configuration, then logs configuration and flags. It works once per
// process.
func initLogging(ctx context.Context, set *pflag.FlagSet, config *kubeletconfig.KubeletConfiguration) error {
	logs.InitLogs()
	if err := logsapi.ValidateAndApplyAsField(&config.Logging, utilfeature.DefaultFeatureGate, field.NewPath("logging")); err != nil {
		return fmt.Errorf("initialize logging: %w", err)
	}
	logger := klog.FromContext(ctx)
	if text, err := loggable(config); err != nil {
		logger.Error(err, "Failed to render the configuration for the log")
	} else {
		logger.Info("Effective KubeletConfiguration", "config", text)
	}
	cliflag.PrintFlags(set)
	return nil
}

// loggable renders config like /configz, without secrets.
func loggable(config *kubeletconfig.KubeletConfiguration) (string, error) {
	config = config.DeepCopy()
	for header := range config.StaticPodURLHeader {
		config.StaticPodURLHeader[header] = []string{"<masked>"}
	}
	scheme, _, err := kubeletscheme.NewSchemeAndCodecs()
	if err != nil {
		return "", err
	}
	versioned := &kubeletconfigv1beta1.KubeletConfiguration{}
	if err := scheme.Convert(config, versioned, nil); err != nil {
		return "", err
	}
	versioned.SetGroupVersionKind(kubeletconfigv1beta1.SchemeGroupVersion.WithKind("KubeletConfiguration"))
	text, err := yaml.Marshal(versioned)
	return string(text), err
}

// validate returns the errors in config.
func validate(ctx context.Context, config *kubeletconfig.KubeletConfiguration) error {
	if err := validation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate); err != nil {
		return fmt.Errorf("validate the kubelet's configuration: %w", err)
	}
	own, reserved := config.KubeletCgroups, config.KubeReservedCgroup
	if own != "" && reserved != "" && !strings.HasPrefix(own, reserved) {
		klog.FromContext(ctx).Info("kubeletCgroups is not below kubeReservedCgroup, which is not supported", "kubeletCgroups", own, "kubeReservedCgroup", reserved)
	}
	return nil
}

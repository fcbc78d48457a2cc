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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/klog/v2"
	kubeletconfigv1beta1 "k8s.io/kubelet/config/v1beta1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	conversion "k8s.io/kubernetes/pkg/kubelet/apis/config/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"
	utilfs "k8s.io/kubernetes/pkg/util/filesystem"
)

// loadFile reads the file of --config. The operating system's defaults replace missing eviction
// thresholds: only if all are missing, or each with mergeDefaultEvictionSettings.
func loadFile(ctx context.Context, name string) (*kubeletconfig.KubeletConfiguration, error) {
	loader, err := newLoader(name)
	if err != nil {
		return nil, err
	}
	config, err := loader.Load(ctx)
	if err != nil {
		return nil, err
	}
	thresholds := maps.Clone(eviction.DefaultEvictionHard)
	switch {
	case config.EvictionHard == nil:
		config.EvictionHard = thresholds
	case config.MergeDefaultEvictionSettings:
		maps.Copy(thresholds, config.EvictionHard)
		config.EvictionHard = thresholds
	}
	return config, nil
}

func newLoader(name string) (configfiles.Loader, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	return configfiles.NewFsLoader(&utilfs.DefaultFs{}, path)
}

// mergeDropIns merges the *.conf files below directory into config in path order, then sets defaults.
func mergeDropIns(ctx context.Context, config *kubeletconfig.KubeletConfiguration, directory string) error {
	versioned := &kubeletconfigv1beta1.KubeletConfiguration{}
	if err := conversion.Convert_config_KubeletConfiguration_To_v1beta1_KubeletConfiguration(config, versioned, nil); err != nil {
		return fmt.Errorf("convert to v1beta1: %w", err)
	}
	merged, err := json.Marshal(versioned)
	if err != nil {
		return fmt.Errorf("encode as JSON: %w", err)
	}
	err = filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case filepath.Ext(path) != ".conf":
			klog.FromContext(ctx).V(4).Info("Skipped file in the drop-in directory, its name does not end in .conf", "file", path)
			return nil
		}
		if merged, err = mergeDropIn(merged, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	versioned = &kubeletconfigv1beta1.KubeletConfiguration{}
	if err := json.Unmarshal(merged, versioned); err != nil {
		return fmt.Errorf("decode the merged configuration: %w", err)
	}
	conversion.SetDefaults_KubeletConfiguration(versioned)
	if err := conversion.Convert_v1beta1_KubeletConfiguration_To_config_KubeletConfiguration(versioned, config, nil); err != nil {
		return fmt.Errorf("convert from v1beta1: %w", err)
	}
	return nil
}

// mergeDropIn returns the configuration as JSON, overridden by one file's settings.
func mergeDropIn(config []byte, file string) ([]byte, error) {
	loader, err := newLoader(file)
	if err != nil {
		return nil, err
	}
	patch, kind, err := loader.LoadIntoJSON()
	if err != nil {
		return nil, err
	}
	want := kubeletconfigv1beta1.SchemeGroupVersion.WithKind("KubeletConfiguration")
	switch {
	case kind == nil || kind.Empty():
		return nil, errors.New("no apiVersion or kind")
	case *kind != want:
		return nil, fmt.Errorf("is %s, not %s", kind, want)
	}
	return jsonpatch.MergePatch(config, patch)
}

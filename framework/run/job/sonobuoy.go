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

package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/reports"
)

// sonobuoyResults is the mount path of sonobuoy's results volume (SONOBUOY_RESULTS_DIR).
const sonobuoyResults = "/tmp/sonobuoy/results"

type plugin struct {
	Config    pluginConfig     `json:"sonobuoy-config"`
	Pod       corev1.PodSpec   `json:"podSpec"`
	Container corev1.Container `json:"spec"`
}

type pluginConfig struct {
	Driver       string   `json:"driver"`
	Name         string   `json:"plugin-name"`
	ResultFormat string   `json:"result-format"`
	ResultFiles  []string `json:"result-files"`
	Description  string   `json:"description"`
	SourceURL    string   `json:"source-url"`
}

// Sonobuoy is a plugin for "sonobuoy run --plugin FILE", as YAML. It runs in sonobuoy's namespace with sonobuoy's
// account, ignoring those of Config.
func Sonobuoy(c Config) ([]byte, error) {
	args := append([]string{
		"run", "--in-cluster", "--report-dir=" + filepath.Join(sonobuoyResults, reportDir), "--done-file=" + filepath.Join(sonobuoyResults, "done"),
	}, literal(c.Args)...)
	data, err := yaml.Marshal(plugin{
		Config: pluginConfig{
			Driver: "Job", Name: Name, ResultFormat: "junit", ResultFiles: []string{reports.JUnitFile},
			Description: "Conformance and end-to-end tests for Kubernetes Dynamic Resource Allocation (DRA)",
			SourceURL:   "https://github.com/dra-conformance/dratest",
		},
		// It replaces Sonobuoy's own, which gives a deleted pod too little time to clean up.
		Pod: corev1.PodSpec{
			ServiceAccountName: "sonobuoy-serviceaccount", RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: ptr.To(grace),
			NodeSelector: map[string]string{corev1.LabelOSStable: "linux"},
			Tolerations: []corev1.Toleration{
				{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
				{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists},
			},
		},
		Container: corev1.Container{
			Name: "plugin", Image: c.Image, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{Program}, Args: args,
			VolumeMounts: []corev1.VolumeMount{{Name: "results", MountPath: sonobuoyResults}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("print the plugin: %w", err)
	}
	return data, nil
}

// Done packs a report directory into an archive beside a file, and then writes the archive's path into that file,
// awaited by sonobuoy's worker. An error without a report becomes a failed test case, as Sonobuoy shows nothing else.
func Done(file, dir string, failed error) error {
	if _, err := os.Stat(filepath.Join(dir, reports.JSONFile)); errors.Is(err, os.ErrNotExist) && failed != nil {
		if err := reports.WriteError(dir, time.Now(), failed); err != nil {
			return err
		}
	}
	var packed bytes.Buffer
	if err := pack(&packed, dir); err != nil {
		return err
	}
	// Sonobuoy takes everything after the first dot of the path for the archive's type.
	archive := filepath.Join(filepath.Dir(file), Name+".tar.gz")
	if err := renameio.WriteFile(archive, packed.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the archive of the report: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(archive), 0o644); err != nil {
		return fmt.Errorf("say that the run is done: %w", err)
	}
	return nil
}

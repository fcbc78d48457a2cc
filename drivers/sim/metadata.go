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

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	metadatav1alpha1 "k8s.io/dynamic-resource-allocation/api/metadata/v1alpha1"
	metadatav1beta1 "k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/framework/spec"
)

// metadataOptions make the library write metadata files, with the faults of the driver's mutant.
func metadataOptions(config spec.DriverConfig, cdiDir string) []kubeletplugin.Option {
	versions := []schema.GroupVersion{metadatav1beta1.SchemeGroupVersion, metadatav1alpha1.SchemeGroupVersion}
	if config.Mutant == spec.MutantNewestMetadata {
		versions = versions[:1]
	}
	options := []kubeletplugin.Option{kubeletplugin.EnableDeviceMetadata(true, versions), kubeletplugin.CDIDirectory(cdiDir)}
	var spoil *strings.Replacer
	switch config.Mutant {
	case spec.MutantMetadataOfClaim:
		spoil = strings.NewReplacer("/"+metadata.ResourceClaimTemplatesSubDir+"/", "/"+metadata.ResourceClaimsSubDir+"/")
	case spec.MutantMetadataWithoutDriver:
		spoil = strings.NewReplacer("/"+metadata.MetadataFileName(config.Name), "/metadata.json")
	case spec.MutantMetadataWritable:
		spoil = strings.NewReplacer(`"ro"`, `"rw"`)
	default:
		return options
	}
	return append(options, kubeletplugin.MetadataFileOps(kubeletplugin.MetadataFileOperations{
		WriteFile: func(name string, data []byte, mode os.FileMode) error {
			if filepath.Dir(name) == filepath.Clean(cdiDir) { // the library's files for a container
				data = []byte(spoil.Replace(string(data)))
			}
			if err := os.WriteFile(name, data, mode); err != nil {
				return fmt.Errorf("write metadata: %w", err)
			}
			return nil
		},
	}))
}

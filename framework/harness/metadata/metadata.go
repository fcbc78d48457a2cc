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

package metadata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	metadataapi "k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/api/metadata/install"
	"k8s.io/dynamic-resource-allocation/devicemetadata"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/pools"
)

// Path is the metadata file for a request of a claim in a container
// (k8s.io/dynamic-resource-allocation v0.37.1 api/metadata/doc.go).
func Path(driver string, claim *resourceapi.ResourceClaim, request string) string {
	if name, generated := claim.Annotations[resourceapi.PodResourceClaimAnnotation]; generated {
		return metadataapi.ResourceClaimTemplateFilePath(driver, name, request)
	}
	return metadataapi.ResourceClaimFilePath(driver, claim.Name, request)
}

// Expect ends the case unless a container has metadata files for these requests of a claim that
// describe the driver's allocated devices. It returns the API versions in the last file.
func Expect(t *harness.T, driver, pod, container string, claim *resourceapi.ResourceClaim, requests ...string) (versions []string) {
	ginkgo.GinkgoHelper()
	for _, request := range requests {
		path := Path(driver, claim, request)
		content, found := ReadFile(t, pod, container, path)
		where := fmt.Sprintf("%s in container %s of pod %s", path, container, pod)
		t.Expect(found).To(gomega.BeTrue(), "whether there is %s", where)
		want := taleOf(driver, claim, pools.Allocated(claim, driver, request))
		all, err := readMetadata(content)
		if err != nil {
			t.Fatalf("%s cannot be read: %v; it says:\n%s", where, err, content)
		}
		versions = nil
		for _, one := range all {
			if difference := cmp.Diff(want, one.content); difference != "" {
				t.Fatalf("%s tells in version %s something else (+) than of the devices that are allocated (-):\n%s", where, one.version, difference)
			}
			versions = append(versions, one.version)
		}
		newestFirst := slices.Clone(versions)
		slices.SortStableFunc(newestFirst, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
		t.Expect(versions).To(gomega.Equal(newestFirst), "versions of the API in %s: the newest first", where)
	}
	return versions
}

// tale is the content of a metadata file, without attributes and network data, which are the
// vendor's own.
type tale struct {
	Namespace, Claim, UID string
	// PodClaim is the pod's name for a claim from a template.
	PodClaim string
	// Devices have request, driver, pool and name.
	Devices []string
}

// taleOf is the expected content for these devices.
func taleOf(driver string, claim *resourceapi.ResourceClaim, results []resourceapi.DeviceRequestAllocationResult) tale {
	t := tale{Namespace: claim.Namespace, Claim: claim.Name, UID: string(claim.UID), PodClaim: claim.Annotations[resourceapi.PodResourceClaimAnnotation]}
	for _, r := range results {
		t.Devices = append(t.Devices, device(r.Request, driver, r.Pool, r.Device))
	}
	slices.Sort(t.Devices)
	return t
}

func device(request, driver, pool, name string) string {
	return fmt.Sprintf("request %s: device %s of pool %s of driver %s", request, name, pool, driver)
}

// oneVersion is a metadata file's content in one API version.
type oneVersion struct {
	version string
	content tale
}

// readMetadata reads and validates the content in each known API version. Newer versions are
// skipped; a file without a known version is an error.
func readMetadata(content string) ([]oneVersion, error) {
	var all []oneVersion
	known := install.NewScheme()
	decoder := json.NewDecoder(strings.NewReader(content))
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		var kind metav1.TypeMeta
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, fmt.Errorf("read apiVersion and kind: %w", err)
		}
		group := kind.GroupVersionKind().GroupVersion()
		if group.Group == metadataapi.GroupName && !known.IsVersionRegistered(group) {
			continue
		}
		var (
			m       metadataapi.DeviceMetadata
			invalid error
		)
		err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(bytes.NewReader(raw)), &m, devicemetadata.DecodeMetadataWithValidationResult(&invalid))
		if err := errors.Join(err, invalid); err != nil {
			return nil, fmt.Errorf("in version %s: %w", kind.APIVersion, err)
		}
		one := oneVersion{version: group.Version, content: tale{Namespace: m.Namespace, Claim: m.Name, UID: string(m.UID), PodClaim: ptr.Deref(m.PodClaimName, "")}}
		for _, r := range m.Requests {
			for _, d := range r.Devices {
				one.content.Devices = append(one.content.Devices, device(r.Name, d.Driver, d.Pool, d.Name))
			}
		}
		slices.Sort(one.content.Devices)
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no known version")
	}
	return all, nil
}

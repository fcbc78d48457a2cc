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

package published

import (
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Image is a node image published by kind, or possibly so.
type Image struct {
	// Ref is its name, with the digest if Pinned.
	Ref string
	// Version is its Kubernetes version.
	Version string
	// Pinned: the digest is from the version table.
	Pinned bool
}

// String names the image and marks unpinned ones.
func (i Image) String() string {
	if i.Pinned {
		return i.Ref
	}
	return i.Ref + " (not pinned: the digest is the registry's)"
}

// Images returns the images for a version, best first. With exact only the version's own patch level qualifies.
// Registries other than kind's own may have other digests, since not all copy tools keep them.
func Images(v versions.Version, exact bool, registry string) []Image {
	repository := registry + "/kindest/node"
	var found []Image
	if v.Published != "" && (!exact || v.Published == v.Kubernetes) {
		tag := repository + ":" + v.Published
		found = append(found, Image{Ref: tag + "@" + v.Digest, Version: v.Published, Pinned: true})
		if registry != clusters.DefaultRegistry {
			found = append(found, Image{Ref: tag, Version: v.Published})
		}
	}
	if v.Published != v.Kubernetes && semver.Build(v.Kubernetes) == "" {
		found = append(found, Image{Ref: repository + ":" + v.Kubernetes, Version: v.Kubernetes})
	}
	return found
}

// Pods is the image of cases' pods: the busybox linked against glibc, as Debian's is, because others resolve names
// differently.
func Pods(registry string) string { return registry + "/library/busybox:1.37.0-glibc" }

// Facts are the input of Choose.
type Facts struct {
	Source clusters.NodeImageSource
	// Images is the result of the function Images.
	Images []Image
	// Variant is the reason for a machine-specific image, or "".
	Variant string
	// Here is the one of Images present in the engine, if any.
	Here *Image
	// Built: the engine has a built image of the version.
	Built bool
	// Asked: the registry was queried, and has Found or failed with Why.
	Asked bool
	Found *Image
	Why   error
}

// Choice is how to get a node image.
type Choice struct {
	// Ask: query the registry first.
	Ask bool
	// Take are the images to try to pull in order; none means to build one.
	Take []Image
	// Reason is the reason for the choice.
	Reason string
}

// Choose decides between published images and a built one.
func Choose(f Facts) Choice {
	switch {
	case f.Source == clusters.SourceBuild:
		return Choice{Reason: "as asked for"}
	case len(f.Images) == 0:
		return Choice{Reason: "kind publishes no images of checkouts"}
	case f.Source != clusters.SourceRegistry && f.Variant != "":
		return Choice{Reason: f.Variant}
	case f.Here != nil:
		return Choice{Take: []Image{*f.Here}, Reason: "it has been pulled already"}
	case f.Source != clusters.SourceRegistry && f.Built:
		return Choice{Reason: "one has been built already"}
	case !f.Asked:
		return Choice{Ask: true}
	case f.Found != nil:
		return Choice{Take: []Image{*f.Found}, Reason: "a registry has it"}
	case f.Source == clusters.SourceRegistry:
		// The engine may reach a registry this process cannot.
		return Choice{Take: f.Images, Reason: "as asked for, although " + f.Why.Error()}
	default:
		return Choice{Reason: fmt.Sprint(f.Why)}
	}
}

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

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Image is an image that kind has, or may have, published for a version.
type Image struct {
	// Ref is its name, with the digest if Pinned.
	Ref string
	// Version is that of its Kubernetes.
	Version string
	// Pinned: the digest is the one of the table of versions.
	Pinned bool
}

// String names the image and says if nothing vouches for its content.
func (i Image) String() string {
	if i.Pinned {
		return i.Ref
	}
	return i.Ref + " (not pinned: the digest is the registry's)"
}

// Images returns the images that serve a version, best first. With exact only the
// version's own patch level will do. A registry that is not kind's own may have
// other digests, because tools that copy images do not all keep them.
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
	if v.Published != v.Kubernetes {
		found = append(found, Image{Ref: repository + ":" + v.Kubernetes, Version: v.Kubernetes})
	}
	return found
}

// Pods is the image that cases' pods run: the busybox that is linked against glibc,
// as the one of Debian is, because the others resolve names in ways of their own.
func Pods(registry string) string { return registry + "/library/busybox:1.37.0-glibc" }

// Facts are what the choice depends on.
type Facts struct {
	Source clusters.NodeImageSource
	// Images are those that Images returned.
	Images []Image
	// Variant is what makes this machine need an image of its own, or "".
	Variant string
	// Here is the one of Images that the engine has already, if any.
	Here *Image
	// Built: the engine has an image of the version that was built.
	Built bool
	// Asked: the registry was asked, and has Found or does not answer because of Why.
	Asked bool
	Found *Image
	Why   error
}

// Choice is what to do about a node image.
type Choice struct {
	// Ask: nothing can be said before the registry was asked.
	Ask bool
	// Take are the images to take, the first that can be pulled; none means to
	// build one.
	Take []Image
	// Reason says why, for people.
	Reason string
}

// Choose decides between published images and one that is built.
func Choose(f Facts) Choice {
	switch {
	case f.Source == clusters.SourceBuild:
		return Choice{Reason: "as asked for"}
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
		// The engine may reach what this process does not.
		return Choice{Take: f.Images, Reason: "as asked for, although " + f.Why.Error()}
	default:
		return Choice{Reason: fmt.Sprint(f.Why)}
	}
}

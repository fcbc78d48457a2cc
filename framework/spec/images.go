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

package spec

// ImageRegistry is the registry of released images. .github/workflows/release.yaml pushes to the names printed by
// "dratest images list".
const ImageRegistry = "ghcr.io/dra-conformance"

// Images of this project. They are preloaded in dratest's node images.
const (
	// ImageRun is dratest itself, without a tag.
	ImageRun = ImageRegistry + "/dratest"
	// ImageSim is dra-sim. Its tag is the version of its API.
	ImageSim = ImageRegistry + "/dra-sim:1"
	// ImageBusybox is for the pods of cases.
	ImageBusybox = ImageRegistry + "/busybox:1"
)

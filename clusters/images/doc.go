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

// Package images provides kind node images: kind's published ones if a registry has them, otherwise ones built from
// Go modules and Debian packages. An image is built in stages, each named after the hash of its inputs, so only
// changed stages are rebuilt:
//
//	root file system (debian) and programs (modules)  files in the cache
//	base        what kind expects of a node, with the kubelet     engine image
//	components  + images of the control plane, preloaded          engine image
//	node        + images that cases run: busybox, dra-sim         the result
//
// Start at Local and Node; plan.go lists the contents of an image.
package images

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

package clusters

import "io"

// ComponentImage is a container image of one of this project's components. It replaces the stock image.
type ComponentImage struct {
	// Ref names exactly this content.
	Ref string
	// Archive writes the image as an archive for container runtimes to import.
	Archive func(w io.Writer) error
	// Kubernetes is the version the component reports.
	Kubernetes string
	// Args are added to the arguments of the stock component when its image is replaced.
	Args []string
	// Manifest returns the objects to apply for a component running beside the stock ones. Arguments are added to its
	// own.
	Manifest func(args []string) ([]byte, error)
}

// ComponentBinary is a program of this project that runs on nodes.
type ComponentBinary struct {
	// Path is the local path of the statically linked binary.
	Path string
	// Key identifies its content.
	Key string
	// Kubernetes is the version the component reports, before spec.OwnKubeletMark.
	Kubernetes string
}

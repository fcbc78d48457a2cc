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

// ComponentImage is a container image of one of this project's components, which
// takes the place of one of Kubernetes' own.
type ComponentImage struct {
	// Ref names exactly this content.
	Ref string
	// Archive writes the image as an archive that container runtimes import.
	Archive func(w io.Writer) error
	// Kubernetes is the version that the component reports.
	Kubernetes string
	// Args are added to the arguments of the stock component, whose image is replaced.
	Args []string
	// Manifest is what has to be applied for a component that runs beside the stock
	// ones instead, with arguments besides its own.
	Manifest func(args []string) ([]byte, error)
}

// ComponentBinary is a program of this project that runs on nodes.
type ComponentBinary struct {
	// Path is where it is on this machine; it is static.
	Path string
	// Key stands for its content.
	Key string
	// Kubernetes is the version that the component reports, before spec.OwnKubeletMark.
	Kubernetes string
}

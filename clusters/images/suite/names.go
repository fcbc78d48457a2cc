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

package suite

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// Run is the image of dratest itself, without a tag.
	Run = spec.ImageRun
	// Sim is the image of the test driver's agents.
	Sim = spec.ImageSim
	// Busybox is the image of cases' pods.
	Busybox = spec.ImageBusybox
)

// RunAt is the image of a version of dratest.
func RunAt(version string) string {
	return Run + ":" + strings.NewReplacer("+", "-", "(", "", ")", "").Replace(version)
}

// In is the name of an image in another registry, optionally with a path; an empty registry changes nothing.
// In the other registry, images of this project have no dra-conformance/ in their path.
func In(registry, ref string) (string, error) {
	if registry == "" {
		return ref, nil
	}
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return "", fmt.Errorf("read the image's name %s: %w", ref, err)
	}
	separator := ":"
	if _, ok := parsed.(name.Digest); ok {
		separator = "@"
	}
	repository, own := strings.CutPrefix(parsed.Context().Name(), spec.ImageRegistry+"/")
	if !own {
		repository = parsed.Context().RepositoryStr()
	}
	mapped := strings.TrimSuffix(registry, "/") + "/" + repository + separator + parsed.Identifier()
	if _, err := name.ParseReference(mapped); err != nil {
		return "", fmt.Errorf("registry %s cannot have image %s: %w", registry, ref, err)
	}
	return mapped, nil
}

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

package images

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/engine"
)

// Image is an image of ours in the engine.
type Image struct {
	// Ref is the image's name, or its ID if untagged.
	Ref     string `json:"ref"`
	Version string `json:"version"`
	// Stage is "base", "components" or "node".
	Stage string `json:"stage"`
	// Size is in bytes and includes shared layers.
	Size    int64     `json:"size"`
	Created time.Time `json:"created"`
	// Current images are the newest image of their version and its stages; Prune removes others.
	Current bool `json:"current"`

	id   string
	tags []string
}

// List returns all images built by dratest, by version (newest first) and stage.
func List(ctx context.Context, e engine.Engine) ([]Image, error) {
	found, err := e.Images(ctx, labelStage)
	if err != nil {
		return nil, err
	}
	return describe(found), nil
}

// describe marks current images: those with the moving tag of their version, and the stages they name as parents.
func describe(found []engine.Image) []Image {
	current := map[string]bool{}
	for _, image := range found {
		moving := nodeRepository + ":" + image.Labels[labelVersion]
		if slices.Contains(image.Tags, moving) || slices.Contains(image.Tags, moving+publishedMark) {
			for _, ref := range append(strings.Fields(image.Labels[labelParents]), image.Tags...) {
				current[ref] = true
			}
		}
	}
	images := make([]Image, 0, len(found))
	for _, image := range found {
		i := Image{
			Ref: image.ID, Version: image.Labels[labelVersion], Stage: image.Labels[labelStage],
			Size: image.Size, Created: image.Created, id: image.ID, tags: image.Tags,
		}
		for _, tag := range slices.Sorted(slices.Values(image.Tags)) {
			i.Ref = tag // the longest is the last, and the exact one
			i.Current = i.Current || current[tag]
		}
		images = append(images, i)
	}
	order := []string{"node", "components", "base"}
	slices.SortFunc(images, func(a, b Image) int {
		if c := strings.Compare(b.Version, a.Version); c != 0 {
			return c
		}
		if c := slices.Index(order, a.Stage) - slices.Index(order, b.Stage); c != 0 {
			return c
		}
		return strings.Compare(a.Ref, b.Ref)
	})
	return images
}

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

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// TestDriverRepository is the name of the test driver's image; upstream publishes none.
const TestDriverRepository = "dra-conformance.github.io/dra-test-driver"

// TestDriver builds the image of the DRA driver of upstream's end-to-end tests, always of the newest Kubernetes
// version. Errors are those of Program.
func TestDriver(ctx context.Context, o Options) (clusters.ComponentImage, error) {
	o.Version = versions.Newest().Kubernetes
	b, path, err := buildBinary(ctx, o, func(origins) modules.Binary { return modules.TestDriver() })
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	_, key, err := b.modules.Path(modules.TestDriver())
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	ref := TestDriverRepository + ":" + key[:12]
	entries := []layer.Entry{{Path: "usr/local/bin/dra-test-driver", Mode: 0o755, File: path}}
	return componentArchive(ref, versions.Newest(), entries, "/usr/local/bin/dra-test-driver")
}

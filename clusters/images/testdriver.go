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

// TestDriver builds the image of the DRA driver of upstream's own end-to-end tests, of
// the newest Kubernetes version whatever Options.Version is. Errors are those of Program.
func TestDriver(ctx context.Context, o Options) (clusters.ComponentImage, error) {
	o.Version = versions.Newest().Kubernetes
	b, path, err := buildBinary(ctx, o, func(versions.Version) modules.Binary { return modules.TestDriver() })
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

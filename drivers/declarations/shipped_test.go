package declarations_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

func TestShippedDriversAreDeclaredRightly(t *testing.T) {
	names := declarations.ShippedNames()
	if len(names) != 2 {
		t.Errorf("shipped: %v", names)
	}
	for _, name := range names {
		d, err := declarations.Shipped(name)
		if err != nil {
			t.Error(err)
		}
		if err := yaml.Unmarshal(d.Manifests[:1], new(any)); err != nil || d.Declaration.Deploy.DaemonSet == "" {
			t.Errorf("%s: %v, DaemonSet %q", name, err, d.Declaration.Deploy.DaemonSet)
		}
	}
	if _, err := declarations.Shipped("nothing"); err == nil {
		t.Error("a driver that is not there was found")
	}
}

package classic

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// schedulerConfig is a scheduler's configuration for pods that choose it by this name. It
// elects no leader: others of the cluster do.
func schedulerConfig(config []byte, name, kubeconfig string) ([]byte, error) {
	var tree map[string]any
	if err := yaml.UnmarshalStrict(config, &tree); err != nil {
		return nil, err
	}
	profiles, _, err := unstructured.NestedSlice(tree, "profiles")
	if err != nil {
		return nil, err
	}
	if len(profiles) != 1 {
		return nil, fmt.Errorf("it has %d profiles, not one", len(profiles))
	}
	profile, ok := profiles[0].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its profile is %T", profiles[0])
	}
	profile["schedulerName"] = name
	for _, set := range []struct {
		value any
		path  []string
	}{
		{profiles, []string{"profiles"}},
		{kubeconfig, []string{"clientConnection", "kubeconfig"}},
		{false, []string{"leaderElection", "leaderElect"}},
	} {
		if err := unstructured.SetNestedField(tree, set.value, set.path...); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(tree)
}

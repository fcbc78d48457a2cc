package bench

import (
	_ "go.uber.org/goleak"
	_ "k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	_ "k8s.io/dynamic-resource-allocation/cel"
	_ "k8s.io/dynamic-resource-allocation/structured"
	_ "k8s.io/utils/ptr"
)

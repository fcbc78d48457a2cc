package bench

import (
	_ "github.com/google/go-cmp/cmp"
	_ "go.uber.org/goleak"
	_ "k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	_ "k8s.io/dynamic-resource-allocation/cel"
	_ "k8s.io/dynamic-resource-allocation/structured"
	_ "k8s.io/kubernetes/test/integration/framework"
	_ "k8s.io/kubernetes/test/integration/scheduler_perf"
	_ "k8s.io/utils/ptr"
	_ "sigs.k8s.io/yaml"
)

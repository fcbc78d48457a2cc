package whatif

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
)

// allowAdmins allows admin access in the case's namespace.
func allowAdmins(t *harness.T) {
	label := []byte(`{"metadata":{"labels":{"` + resourceapi.DRAAdminNamespaceLabelKey + `":"true"}}}`)
	_, err := t.Client.CoreV1().Namespaces().Patch(t.Context(), t.Namespace, types.StrategicMergePatchType, label, metav1.PatchOptions{})
	t.NoError(err, "allow admin access in the namespace")
}

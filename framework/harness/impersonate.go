package harness

import (
	"github.com/onsi/ginkgo/v2"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// As is a client that acts as another user, as a service account or a node, with the
// rights that this user has. The run's own user must be allowed to impersonate; if not,
// requests fail as forbidden.
func (t *T) As(user rest.ImpersonationConfig) kubernetes.Interface {
	ginkgo.GinkgoHelper()
	open := t.env.Connect
	if open == nil {
		open = connect
	}
	config := rest.CopyConfig(t.env.Config)
	config.Impersonate = user
	client, _, err := open(config)
	t.NoError(err, "make a client for user %s", user.UserName)
	return client
}

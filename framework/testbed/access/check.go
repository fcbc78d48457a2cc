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

package access

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// MissingError lists the account's missing rights for a run.
type MissingError struct{ Rights []Right }

// Error names each right, with advice.
func (e MissingError) Error() string {
	lines := make([]string, 0, len(e.Rights))
	for _, right := range e.Rights {
		lines = append(lines, "  "+right.String())
	}
	return fmt.Sprintf("the account lacks rights that a run needs in the cluster; it may not\n%s\n"+
		"Give it the ClusterRole that `dratest manifests` prints, with --certify for a certification, and after -- with --disruptive if the run has that; `kubectl auth can-i` takes these lines", strings.Join(lines, "\n"))
}

// atATime bounds the load on the API server.
const atATime = 16

// Check asks the API server whether the client's account has all rights of rules. The error is a MissingError, or a
// failure of the request.
func Check(ctx context.Context, client kubernetes.Interface, rules []rbacv1.PolicyRule) error {
	rights := Of(rules)
	lacks := make([]bool, len(rights))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atATime)
	for i, right := range rights {
		group.Go(func() error {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: right.Question()}
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("ask the API server whether the account may %s: %w", right, err)
			}
			lacks[i] = !answer.Status.Allowed
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var missing MissingError
	for i, right := range rights {
		if lacks[i] {
			missing.Rights = append(missing.Rights, right)
		}
	}
	if len(missing.Rights) == 0 {
		return nil
	}
	return missing
}

// Question asks whether an account has the right.
func (r Right) Question() authorizationv1.SelfSubjectAccessReviewSpec {
	if r.Path != "" {
		return authorizationv1.SelfSubjectAccessReviewSpec{NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: r.Verb, Path: r.Path}}
	}
	resource, sub, _ := strings.Cut(r.Resource, "/")
	return authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Verb: r.Verb, Group: r.Group, Resource: resource, Subresource: sub, Name: r.Name,
	}}
}

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
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/prove/proxy"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

const (
	// tokenSeconds is longer than the proof.
	tokenSeconds = 4 * 60 * 60
	// seenTime bounds the time until API servers see a changed role.
	seenTime = 30 * time.Second
)

// account is the account of a Job, with a recorder of its requests.
type account struct {
	client   kubernetes.Interface // an administrator's
	recorder *Recorder
	server   *http.Server
	// kubeconfig leads through the recorder.
	kubeconfig string
	// name is the account's user name, role as it was printed.
	name string
	role *rbacv1.ClusterRole
}

// newAccount applies the output of "dratest manifests" except for the Job, and writes a kubeconfig in dir.
func newAccount(ctx context.Context, config *rest.Config, client kubernetes.Interface, dir string) (*account, error) {
	a := &account{client: client}
	printed, err := job.Manifests(job.Config{Namespace: job.Name, Command: "run", Rules: access.Rules(true)})
	if err != nil {
		return nil, err
	}
	if err := a.apply(ctx, printed); err != nil {
		return nil, fmt.Errorf("apply what is printed: %w", err)
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](tokenSeconds)}}
	token, err := client.CoreV1().ServiceAccounts(job.Name).CreateToken(ctx, job.Name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("make a token of the account: %w", err)
	}
	a.name = "system:serviceaccount:" + job.Name + ":" + job.Name
	as := rest.AnonymousClientConfig(config)
	as.BearerToken = token.Status.Token
	a.kubeconfig = filepath.Join(dir, "kubeconfig")
	a.server, err = proxy.Serve(ctx, as, a.kubeconfig, func(next *httputil.ReverseProxy) http.Handler {
		a.recorder = NewRecorder(next)
		return a.recorder
	})
	return a, err
}

// apply creates all objects except the Job.
func (a *account) apply(ctx context.Context, printed []byte) error {
	documents := streaming.NewDecoder(utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(printed))), scheme.Codecs.UniversalDeserializer())
	for {
		object, _, err := documents.Decode(nil, nil)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch o := object.(type) {
		case *corev1.Namespace:
			_, err = a.client.CoreV1().Namespaces().Create(ctx, o, metav1.CreateOptions{})
		case *corev1.ServiceAccount:
			_, err = a.client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
		case *rbacv1.ClusterRole:
			a.role, err = a.client.RbacV1().ClusterRoles().Create(ctx, o, metav1.CreateOptions{})
		case *rbacv1.ClusterRoleBinding:
			_, err = a.client.RbacV1().ClusterRoleBindings().Create(ctx, o, metav1.CreateOptions{})
		}
		if err != nil {
			return err
		}
	}
}

// give grants rules to the account, and returns once the API server's answer to the question is as expected.
func (a *account) give(ctx context.Context, rules []rbacv1.PolicyRule, question authorizationv1.SelfSubjectAccessReviewSpec, allowed bool) error {
	role, err := a.client.RbacV1().ClusterRoles().Get(ctx, a.role.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("change the role: %w", err)
	}
	role.Rules = rules
	if _, err := a.client.RbacV1().ClusterRoles().Update(ctx, role, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("change the role: %w", err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: a.name, ResourceAttributes: question.ResourceAttributes, NonResourceAttributes: question.NonResourceAttributes,
	}}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, seenTime, true, func(ctx context.Context) (bool, error) {
		answer, err := a.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed == allowed, err
	})
	if err != nil {
		return fmt.Errorf("wait for the API server to see the change of the role: %w", err)
	}
	return nil
}

func (a *account) close() error {
	if a == nil || a.server == nil {
		return nil
	}
	return a.server.Close()
}

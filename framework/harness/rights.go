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

package harness

import (
	"github.com/onsi/ginkgo/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Grant gives a subject cluster-wide rights with a role of this name. Nobody can grant rights
// without having them: the case is blocked if the run's account lacks them.
func (t *T) Grant(name string, subject rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	ginkgo.GinkgoHelper()
	t.SetBlocked("the account of the run cannot give " + subject.Name + " its rights, named by the failure: run with an account with these rights")
	t.Create(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{subject},
		})
	t.SetBlocked("")
}

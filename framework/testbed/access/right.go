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
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Right is one permission of an account in a cluster: a verb on a resource, in all namespaces, or on a path of the
// API server.
type Right struct {
	Verb, Group string
	// Resource has its subresource after a slash.
	Resource string
	// Name is the name of the only object, empty for all.
	Name string
	// Path is set where there is no resource.
	Path string
}

// String is the right in the format of kubectl auth can-i.
func (r Right) String() string {
	if r.Path != "" {
		return r.Verb + " " + r.Path
	}
	resource, sub, found := strings.Cut(r.Resource, "/")
	if r.Group != "" {
		resource += "." + r.Group
	}
	if r.Name != "" {
		resource += "/" + r.Name
	}
	if found {
		resource += " --subresource=" + sub
	}
	return r.Verb + " " + resource
}

// List names rights in one line.
func List(rights []Right) string {
	names := make([]string, 0, len(rights))
	for _, right := range rights {
		names = append(names, right.String())
	}
	return strings.Join(names, ", ")
}

// Of returns the rights given by rules, sorted and each once. Rules with "*" are for accounts with unknown needs, and
// give none.
func Of(rules []rbacv1.PolicyRule) []Right {
	var all []Right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, verb := range rule.Verbs {
			for _, path := range rule.NonResourceURLs {
				all = append(all, Right{Verb: verb, Path: path})
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, name := range names {
						all = append(all, Right{Verb: verb, Group: group, Resource: resource, Name: name})
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Right) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(all)
}

// Without returns rules giving the same rights except one.
func Without(rules []rbacv1.PolicyRule, lacking Right) []rbacv1.PolicyRule {
	var left []rbacv1.PolicyRule
	for _, right := range Of(rules) {
		if right != lacking {
			left = append(left, right.rule())
		}
	}
	return left
}

func (r Right) rule() rbacv1.PolicyRule {
	if r.Path != "" {
		return rbacv1.PolicyRule{NonResourceURLs: []string{r.Path}, Verbs: []string{r.Verb}}
	}
	rule := rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: []string{r.Resource}, Verbs: []string{r.Verb}}
	if r.Name != "" {
		rule.ResourceNames = []string{r.Name}
	}
	return rule
}

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
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// Recorder forwards requests to an API server and records the rights they use.
type Recorder struct {
	next  http.Handler
	infos request.RequestInfoFactory

	mutex  sync.Mutex
	rights map[access.Right]bool
	errs   []error
}

// NewRecorder returns a recorder forwarding to next.
func NewRecorder(next http.Handler) *Recorder {
	return &Recorder{
		next: next, rights: map[access.Right]bool{},
		infos: request.RequestInfoFactory{APIPrefixes: map[string]sets.Empty{"api": {}, "apis": {}}, GrouplessAPIPrefixes: map[string]sets.Empty{"api": {}}},
	}
}

// ServeHTTP passes a request on.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	rights, err := r.taken(req)
	r.mutex.Lock()
	for _, right := range rights {
		r.rights[right] = true
	}
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err))
	}
	r.mutex.Unlock()
	r.next.ServeHTTP(w, req)
}

// Rights returns the rights used so far, and an error for requests it could not interpret.
func (r *Recorder) Rights() (map[access.Right]bool, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	rights := map[access.Right]bool{}
	for right := range r.rights {
		rights[right] = true
	}
	return rights, errors.Join(r.errs...)
}

// taken returns the rights used by a request: for an impersonated request, the right to impersonate.
func (r *Recorder) taken(req *http.Request) ([]access.Right, error) {
	if req.Header.Get(authenticationv1.ImpersonateUserHeader) != "" {
		return impersonated(req.Header), nil
	}
	info, err := r.infos.NewRequestInfo(req)
	if err != nil {
		return nil, err
	}
	if !info.IsResourceRequest {
		return []access.Right{{Verb: info.Verb, Path: info.Path}}, nil
	}
	right := access.Right{Verb: info.Verb, Group: info.APIGroup, Resource: info.Resource}
	if info.Subresource != "" {
		right.Resource += "/" + info.Subresource
	}
	implied, err := implied(req, right)
	if right.Verb == "patch" && req.Header.Get("Content-Type") == string(types.ApplyPatchType) {
		implied = append(implied, access.Right{Verb: "create", Group: right.Group, Resource: right.Resource})
	}
	return append(implied, right), err
}

func impersonated(header http.Header) []access.Right {
	const verb = "impersonate"
	user := header.Get(authenticationv1.ImpersonateUserHeader)
	rights := []access.Right{{Verb: verb, Resource: "users"}}
	if strings.HasPrefix(user, "system:serviceaccount:") {
		rights = []access.Right{{Verb: verb, Resource: "serviceaccounts"}}
	}
	for _, group := range header.Values(authenticationv1.ImpersonateGroupHeader) {
		rights = append(rights, access.Right{Verb: verb, Resource: "groups", Name: group})
	}
	for name := range header {
		if extra, ok := strings.CutPrefix(name, authenticationv1.ImpersonateUserExtraHeaderPrefix); ok {
			key, _ := url.PathUnescape(strings.ToLower(extra))
			rights = append(rights, access.Right{Verb: verb, Group: "authentication.k8s.io", Resource: "userextras/" + key})
		}
	}
	return rights
}

// implied returns the rights implied by the object of a request: those granted by a role, and those for parts of a
// claim's status.
func implied(req *http.Request, right access.Right) ([]access.Right, error) {
	role := right.Group == rbacv1.GroupName && slices.Contains([]string{"roles", "clusterroles"}, right.Resource)
	status := right.Group == resourceapi.GroupName && right.Resource == "resourceclaims/status"
	if !role && !status || !slices.Contains([]string{"create", "update", "patch"}, right.Verb) {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	kind := resourceapi.SchemeGroupVersion.WithKind("ResourceClaim") // patches need not say
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, &kind, nil)
	if err != nil {
		return nil, fmt.Errorf("read the object that was sent: %w", err)
	}
	var claim *resourceapi.ResourceClaim
	switch o := object.(type) {
	case *rbacv1.Role:
		return access.Of(o.Rules), nil
	case *rbacv1.ClusterRole:
		return access.Of(o.Rules), nil
	case *resourceapi.ResourceClaim:
		claim = o
	default:
		return nil, fmt.Errorf("an object of type %T was sent", object)
	}
	var rights []access.Right
	if claim.Status.Allocation != nil || len(claim.Status.ReservedFor) > 0 {
		rights = append(rights, access.Right{Verb: right.Verb, Group: right.Group, Resource: "resourceclaims/binding"})
	}
	if len(claim.Status.Devices) > 0 {
		rights = append(rights, access.Right{Verb: "arbitrary-node:" + right.Verb, Group: right.Group, Resource: "resourceclaims/driver"})
	}
	return rights, nil
}

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

package existing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/existing"
	"github.com/dra-conformance/dratest/framework/spec"
)

// api is a fake API server with some discovery and cluster-scoped objects.
type api struct {
	dra []string // served versions of resource.k8s.io

	mutex   sync.Mutex
	objects map[string][]string // names of labelled objects by path
	deleted []string
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch r.URL.Path {
	case "/version":
		answer(w, map[string]string{"gitVersion": "v1.37.1"})
	case "/api":
		answer(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case "/apis":
		list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		group := metav1.APIGroup{Name: "resource.k8s.io"}
		for _, v := range a.dra {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: "resource.k8s.io/" + v, Version: v})
		}
		if len(a.dra) > 0 {
			group.PreferredVersion = group.Versions[0]
			list.Groups = append(list.Groups, group)
		}
		answer(w, list)
	case "/api/v1":
		answer(w, resources("v1", "namespaces", "pods", "nodes"))
	case "/apis/resource.k8s.io/v1":
		answer(w, resources("resource.k8s.io/v1", "deviceclasses", "resourceclaims"))
	default:
		a.object(w, r)
	}
}

func (a *api) object(w http.ResponseWriter, r *http.Request) {
	parent, name := filepath.Split(r.URL.Path)
	if r.Method == http.MethodDelete {
		parent = strings.TrimSuffix(parent, "/")
		a.deleted = append(a.deleted, r.URL.Path)
		a.objects[parent] = slices.DeleteFunc(a.objects[parent], func(n string) bool { return n == name })
		answer(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
		return
	}
	if got := r.URL.Query().Get("labelSelector"); got != spec.LabelManagedBy+"="+spec.ManagedBy {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}}
	for _, n := range a.objects[r.URL.Path] {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: n}})
	}
	answer(w, list)
}

func resources(gv string, names ...string) metav1.APIResourceList {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv}
	for _, n := range names {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: n, Kind: n, Namespaced: n == "pods" || n == "resourceclaims", Verbs: metav1.Verbs{"list", "delete"},
		})
	}
	return list
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// kubeconfig writes a kubeconfig with the contexts "first" (current) and "second".
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "t"}
	config.Contexts["first"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.Contexts["second"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "first"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func start(t *testing.T, a *api) string {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server.URL
}

func TestCreateFindsTheCluster(t *testing.T) {
	path := kubeconfig(t, start(t, &api{dra: []string{"v1", "v1beta2"}}))
	got, err := (&existing.Provider{Kubeconfig: path}).Create(t.Context(), clusters.Config{})
	want := clusters.Cluster{Name: "first", Kubeconfig: path, Version: "v1.37.1", Status: clusters.Running}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// temporary is the directory of copies of kubeconfigs.
func temporary(t *testing.T) string {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return filepath.Join(os.TempDir(), fmt.Sprintf("dratest-%d", os.Getuid()))
}

func TestCreateForAnotherContext(t *testing.T) {
	path, dir := kubeconfig(t, start(t, &api{dra: []string{"v1"}})), temporary(t)
	p := &existing.Provider{Kubeconfig: path, Context: "second"}
	if listed, err := p.List(t.Context()); err != nil || listed[0].Kubeconfig != "" {
		t.Errorf("listed before there is a copy: %+v, %v", listed, err)
	}
	got, err := p.Create(t.Context(), clusters.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if listed, err := p.List(t.Context()); err != nil || listed[0].Kubeconfig != got.Kubeconfig {
		t.Errorf("listed %+v, %v, want %s", listed, err, got.Kubeconfig)
	}
	config, err := clientcmd.LoadFromFile(got.Kubeconfig)
	if err != nil || got.Name != "second" || config.CurrentContext != "second" || len(config.Contexts) != 1 {
		t.Errorf("got %+v with %+v, %v", got, config, err)
	}
	if err := p.Delete(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestCreateSaysWhatIsWrong(t *testing.T) {
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	_ = closed.Close()
	old := start(t, &api{dra: []string{"v1beta1"}})
	none := start(t, &api{})
	for _, tc := range []struct {
		name string
		p    existing.Provider
		want []string
	}{
		{"nobody answers", existing.Provider{Kubeconfig: kubeconfig(t, nobody)}, []string{nobody, "connection refused"}},
		{"no DRA", existing.Provider{Kubeconfig: kubeconfig(t, none)}, []string{none, "v1.37.1", "does not serve DRA", "v1.34"}},
		{"old DRA", existing.Provider{Kubeconfig: kubeconfig(t, old)}, []string{old, "[v1beta1]", "newer cluster"}},
		{"no such file", existing.Provider{Kubeconfig: "/does/not/exist"}, []string{"/does/not/exist"}},
		{"no such context", existing.Provider{Kubeconfig: kubeconfig(t, none), Context: "third"}, []string{`"third"`, "--context"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tc.p.Create(t.Context(), clusters.Config{})
			if !errors.Is(err, clusters.ErrEnvironment) {
				t.Fatalf("got error %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %s", want, err)
				}
			}
		})
	}
}

func TestCreateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("enough"))
		<-r.Context().Done()
	}))
	defer server.Close()
	if _, err := (&existing.Provider{Kubeconfig: kubeconfig(t, server.URL)}).Create(ctx, clusters.Config{}); err == nil {
		t.Error("no error")
	}
}

func TestDeleteRemovesOnlyWhatIsLabelled(t *testing.T) {
	a := &api{dra: []string{"v1"}, objects: map[string][]string{
		"/api/v1/namespaces":                     {"case-1", "case-2"},
		"/apis/resource.k8s.io/v1/deviceclasses": {"class"},
		"/api/v1/pods":                           {"is in a namespace"},
	}}
	if err := (&existing.Provider{Kubeconfig: kubeconfig(t, start(t, a))}).Delete(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	want := []string{"/api/v1/namespaces/case-1", "/api/v1/namespaces/case-2", "/apis/resource.k8s.io/v1/deviceclasses/class"}
	if diff := cmp.Diff(want, a.deleted); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	path := kubeconfig(t, "http://127.0.0.1:1")
	got, err := (&existing.Provider{Kubeconfig: path}).List(t.Context())
	if err != nil || fmt.Sprint(got) != fmt.Sprint([]clusters.Cluster{{Name: "first", Kubeconfig: path}}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

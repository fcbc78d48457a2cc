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

package published_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/images/published"
)

const tag = "/kindest/node:v1.99.1"

// serve starts a registry on loopback with these images below a path, which may be empty, and returns its address and
// the digest of the images.
func serve(t *testing.T, path string, allow func(*http.Request) bool, images ...string) (host, digest string) {
	t.Helper()
	content := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	filling := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !filling && allow != nil && !allow(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		content.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	host = strings.TrimPrefix(server.URL, "http://")
	image, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range images {
		ref, err := name.ParseReference(host + path + i)
		if err == nil {
			err = remote.Write(ref, image)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	filling = false
	sum, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return host, sum.String()
}

func pods(registry string) string {
	return strings.TrimPrefix(published.Pods(registry), registry)
}

func TestFindTakesWhatTheRegistryHas(t *testing.T) {
	host, digest := serve(t, "", nil, tag, pods(""))
	unknown := published.Image{Ref: host + tag + "@sha256:" + strings.Repeat("0", 64), Pinned: true}
	pinned, byTag := published.Image{Ref: host + tag + "@" + digest, Pinned: true}, published.Image{Ref: host + tag}
	for name, tc := range map[string]struct {
		images []published.Image
		want   published.Image
	}{
		"pinned":                 {[]published.Image{pinned, byTag}, pinned},
		"digest that is unknown": {[]published.Image{unknown, byTag}, byTag},
	} {
		got, err := published.Registry{}.Find(t.Context(), tc.images, published.Pods(host))
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestFindSaysWhyThereIsNone(t *testing.T) {
	empty, _ := serve(t, "", nil)
	noPods, _ := serve(t, "", nil, tag)
	locked, _ := serve(t, "", func(*http.Request) bool { return false }, tag, pods(""))
	closed := httptest.NewServer(nil)
	closed.Close()
	gone := strings.TrimPrefix(closed.URL, "http://")
	for host, want := range map[string]string{
		empty:  "the registry has no " + empty + tag,
		noPods: "the registry has no " + noPods + "/library/busybox",
		locked: `use "docker login ` + locked + `"`,
		gone:   "no registry answers at " + gone,
	} {
		_, err := published.Registry{}.Find(t.Context(), []published.Image{{Ref: host + tag}}, published.Pods(host))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// A machine behind a firewall dropping packets must not wait for a minute.
func TestFindIsNotKeptWaiting(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	host, start := strings.TrimPrefix(silent.URL, "http://"), time.Now()
	_, err := published.Registry{}.Find(t.Context(), []published.Image{{Ref: host + tag}, {Ref: host + tag + "x"}}, published.Pods(host))
	if took := time.Since(start); err == nil || !strings.Contains(err.Error(), "has not answered within 3s") || took > published.Patience+time.Second {
		t.Errorf("%v after %s", err, took)
	}
}

func TestFindUsesDockersCredentials(t *testing.T) {
	host, _ := serve(t, "", func(r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		return user == "me" && password == "secret"
	}, tag, pods(""))
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	config := `{"auths": {"` + host + `": {"auth": "bWU6c2VjcmV0"}}}`
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (published.Registry{}).Find(t.Context(), []published.Image{{Ref: host + tag}}, published.Pods(host)); err != nil {
		t.Error(err)
	}
}

// loopback restricts a test to this machine.
type loopback struct{}

func (loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() != "127.0.0.1" {
		return nil, fmt.Errorf("%s cannot be reached", r.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// The engine pulls images of Docker Hub from its mirrors.
func TestFindAsksMirrors(t *testing.T) {
	host, _ := serve(t, "/hub", nil, tag, pods(""))
	r := published.Registry{Engine: engine.Registries{Mirrors: []string{"http://127.0.0.1:1", "http://" + host + "/hub/"}}, Transport: loopback{}}
	image := published.Image{Ref: "docker.io" + tag}
	if got, err := r.Find(t.Context(), []published.Image{image}, published.Pods("docker.io")); err != nil || got != image {
		t.Errorf("%+v, %v", got, err)
	}
	own := published.Image{Ref: "127.0.0.1:1" + tag}
	if _, err := r.Find(t.Context(), []published.Image{own}, published.Pods("127.0.0.1:1")); err == nil {
		t.Error("a mirror of Docker Hub was asked for an image of another registry")
	}
}

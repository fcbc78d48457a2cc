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

package published

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/dra-conformance/dratest/clusters/engine"
)

// Patience bounds queries to all registries together, so machines without any do not wait.
const Patience = 3 * time.Second

// Registry queries registries as the container engine would: with its mirrors and insecure registries, and the
// credentials of "docker login".
type Registry struct {
	Engine engine.Registries
	// Transport is the HTTP transport; nil means Go's, with the proxy of the environment.
	Transport http.RoundTripper
}

// Find returns the first available image, if the pod image is available too. The error is one line.
func (r Registry) Find(ctx context.Context, images []Image, pods string) (Image, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("it has not answered within %s", Patience))
	defer cancel()
	var err error
	for _, image := range images {
		if err = r.has(ctx, image.Ref); err == nil {
			if err := r.has(ctx, pods); err != nil {
				return Image{}, explain(ctx, pods, err)
			}
			return image, nil
		}
		err = explain(ctx, image.Ref, err)
		if !errors.Is(err, errMissing) {
			break
		}
	}
	return Image{}, err
}

// errMissing: the registry answers, and has no such image.
var errMissing = errors.New("the registry has no")

// has queries the registry of an image and its mirrors concurrently: the engine, too, pulls from any of them. The
// error is that of the registry itself.
func (r Registry) has(ctx context.Context, image string) error {
	ref, err := name.ParseReference(image, r.options(image)...)
	if err != nil {
		return fmt.Errorf("read the image's name: %w", err)
	}
	asked := []name.Reference{ref}
	if ref.Context().RegistryStr() == name.DefaultRegistry {
		for _, mirror := range r.Engine.Mirrors {
			at, err := mirrored(ref, mirror)
			if err != nil {
				return err
			}
			asked = append(asked, at)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		from int
		err  error
	}
	answers := make(chan answer, len(asked))
	for i, at := range asked {
		go func() { answers <- answer{i, r.head(ctx, at)} }()
	}
	for range asked {
		a := <-answers
		if a.err == nil {
			return nil
		}
		if a.from == 0 {
			err = a.err
		}
	}
	return err
}

func (r Registry) head(ctx context.Context, ref name.Reference) error {
	transport := r.Transport
	if transport == nil {
		transport = remote.DefaultTransport
	}
	_, err := remote.Head(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithTransport(transport), remote.WithRetryBackoff(remote.Backoff{Steps: 1}), remote.WithRetryStatusCodes())
	return err
}

// options allow plain HTTP for the engine's insecure registries.
func (r Registry) options(image string) []name.Option {
	host, _, _ := strings.Cut(image, "/")
	if slices.Contains(r.Engine.Insecure, host) {
		return []name.Option{name.Insecure}
	}
	return nil
}

// mirrored is an image's name at the URL of a mirror.
func mirrored(ref name.Reference, mirror string) (name.Reference, error) {
	at, err := url.Parse(mirror)
	if err != nil {
		return nil, fmt.Errorf("read the mirror's address: %w", err)
	}
	var options []name.Option
	if at.Scheme == "http" {
		options = append(options, name.Insecure)
	}
	repository, err := name.NewRepository(at.Host+strings.TrimRight(at.Path, "/")+"/"+ref.Context().RepositoryStr(), options...)
	if err != nil {
		return nil, fmt.Errorf("read the mirror's address: %w", err)
	}
	if digest, ok := ref.(name.Digest); ok {
		return repository.Digest(digest.DigestStr()), nil
	}
	return repository.Tag(ref.Identifier()), nil
}

// explain gives the reason for a missing image in one line.
func explain(ctx context.Context, image string, err error) error {
	host, _, _ := strings.Cut(image, "/")
	var answer *transport.Error
	var where *url.Error
	switch {
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w %s", errMissing, image)
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return fmt.Errorf("the registry refuses %s: use \"docker login %s\"", image, host)
	case errors.As(err, &answer):
		return fmt.Errorf("the registry answers %d %s for %s", answer.StatusCode, http.StatusText(answer.StatusCode), image)
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &where):
		err = where.Err
	}
	return fmt.Errorf("no registry answers at %s: %w", host, err)
}

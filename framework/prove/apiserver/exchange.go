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

package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// mutantTransport is a transport to an API server with the mutant.
type mutantTransport struct {
	next  http.RoundTripper
	state *atomic.Pointer[state]
	// fault reports errors after the response has started.
	fault func(*http.Request, error)
}

// RoundTrip forwards a request and returns the response, both as changed by the mutant.
func (b mutantTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	m := b.state.Load().mutant
	if !m.concerns(r) {
		return b.next.RoundTrip(r)
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		if body, err = inJSON(r.Header.Get("Content-Type"), body); err != nil {
			return nil, err
		}
		if r.Header.Get("Content-Type") == runtime.ContentTypeProtobuf {
			r.Header.Set("Content-Type", runtime.ContentTypeJSON)
		}
	}
	if m.Refuses != "" && (r.Method == http.MethodPost || r.Method == http.MethodPut) {
		refused, err := m.refused(body)
		if err != nil {
			return nil, err
		}
		if refused {
			return respond(r, http.StatusUnprocessableEntity, refusal(m.What))
		}
	}
	if m.Stores != "" && r.Method != http.MethodDelete && len(body) > 0 {
		var err error
		if body, err = m.stored(body); err != nil {
			return nil, err
		}
	}
	return b.exchange(with(r, body), m, body)
}

// exchange is the second half of RoundTrip, with the changed request.
func (b mutantTransport) exchange(r *http.Request, m *Mutant, body []byte) (*http.Response, error) {
	if query := r.URL.Query(); m.Ignores != nil && m.compiled.value.MatchString(query.Get(m.Ignores.Name)) {
		query.Del(m.Ignores.Name)
		r.URL.RawQuery = query.Encode()
	}
	// The response must be readable here.
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Accept-Encoding", "identity")
	answer, err := b.next.RoundTrip(r)
	switch {
	case err != nil:
		return nil, err
	case m.Accepts != nil && answer.StatusCode >= http.StatusBadRequest:
		return b.accept(r, answer, m, body)
	case m.Answers != "" && answer.StatusCode < http.StatusBadRequest && r.URL.Query().Get("watch") != "":
		rewritten, write := io.Pipe()
		source := answer.Body
		go func() {
			err := m.rewriteWatch(source, write)
			if err != nil && !errors.Is(err, io.ErrClosedPipe) {
				b.fault(r, err)
			}
			_ = write.CloseWithError(errors.Join(err, source.Close()))
		}()
		answer.Body, answer.ContentLength = rewritten, -1
		answer.Header.Del("Content-Length")
		return answer, nil
	case m.Answers != "" && answer.StatusCode < http.StatusBadRequest:
		said, err := read(answer)
		if err != nil {
			return nil, err
		}
		if said, err = m.answered(said); err != nil {
			return nil, err
		}
		return replace(answer, said), nil
	}
	return answer, nil
}

func with(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return r
}

// accept turns a rejection into a success, or into the remaining rejection.
func (b mutantTransport) accept(r *http.Request, answer *http.Response, m *Mutant, body []byte) (*http.Response, error) {
	said, err := read(answer)
	if err != nil {
		return nil, err
	}
	var status metav1.Status
	if err := json.Unmarshal(said, &status); err != nil || status.Kind != "Status" {
		return replace(answer, said), nil //nolint:nilerr // not of the API
	}
	rest, changed := m.accepts(status)
	if !changed {
		return replace(answer, said), nil
	}
	if rest != nil {
		return respond(r, int(rest.Code), *rest)
	}
	if r.Header.Get(authenticationv1.ImpersonateUserHeader) != "" {
		// As an administrator, with the user's missing permissions.
		as := with(r, body)
		for name := range as.Header {
			if strings.HasPrefix(name, "Impersonate-") {
				as.Header.Del(name)
			}
		}
		done, err := b.next.RoundTrip(as)
		if err != nil || done.StatusCode < http.StatusBadRequest {
			return done, err
		}
		_ = done.Body.Close()
	}
	var object any
	switch r.Method {
	case http.MethodPost, http.MethodPut:
		if err := json.Unmarshal(body, &object); err != nil {
			return nil, fmt.Errorf("read an object: %w", err)
		}
		return respond(r, map[string]int{http.MethodPost: http.StatusCreated, http.MethodPut: http.StatusOK}[r.Method], object)
	case http.MethodPatch:
		// The stored object: only the API server knows a patch's result.
		get := with(r, nil)
		get.Method, get.URL.RawQuery = http.MethodGet, ""
		get.Header.Del("Content-Type")
		return b.next.RoundTrip(get)
	}
	return respond(r, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
}

// rewriteWatch writes the events of a watch as changed by the mutant.
func (m *Mutant) rewriteWatch(from io.Reader, to io.Writer) error {
	events, encoder := json.NewDecoder(from), json.NewEncoder(to)
	for {
		var event map[string]any
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a watch: %w", err)
		}
		rewritten, err := m.rewriteEvent(event)
		if err != nil {
			return err
		}
		for _, t := range rewritten {
			if err := encoder.Encode(t); err != nil {
				return err
			}
		}
	}
}

func read(answer *http.Response) ([]byte, error) {
	body, err := io.ReadAll(answer.Body)
	return body, errors.Join(err, answer.Body.Close())
}

func replace(answer *http.Response, body []byte) *http.Response {
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return answer
}

// respond is an answer of the proxy's own.
func respond(r *http.Request, code int, object any) (*http.Response, error) {
	body, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	answer := &http.Response{
		StatusCode: code, Status: strconv.Itoa(code) + " " + http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
	}
	return replace(answer, body), nil
}

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

package fabric

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/framework/limit"
)

// Paths of the API. Those below AdminPath need the administrator's token.
const (
	InventoryPath = "/v1/inventory"
	AttachPath    = "/v1/attach"
	DetachPath    = "/v1/detach"
	TasksPath     = "/v1/tasks/"
	AdminPath     = "/v1/admin/"
)

// Server serves a fabric over HTTP. It writes its state to disk before it answers.
type Server struct {
	config Config
	file   string
	now    func() time.Time
	mux    *http.ServeMux

	mu     sync.Mutex
	state  *State
	closed bool
}

// NewServer continues with the state in a file, or starts with the configuration. Errors are problems of either.
func NewServer(config Config, file string) (*Server, error) {
	s := &Server{config: config, file: file, now: time.Now, mux: http.NewServeMux()}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	var err error
	if s.state, err = s.load(); err != nil {
		return nil, err
	}
	client := func(pattern string, handle func(*http.Request, string) (any, error)) {
		s.mux.HandleFunc(pattern, s.answer(func(r *http.Request) (any, error) {
			cluster, err := s.cluster(r)
			if err != nil {
				return nil, err
			}
			return handle(r, cluster)
		}))
	}
	client("GET "+InventoryPath, func(_ *http.Request, cluster string) (any, error) {
		return s.state.Inventory(cluster, s.now()), nil
	})
	client("POST "+AttachPath, func(r *http.Request, cluster string) (any, error) {
		request, err := decode[AttachRequest](r)
		if err != nil {
			return nil, err
		}
		return s.state.Attach(cluster, request, s.now())
	})
	client("POST "+DetachPath, func(r *http.Request, cluster string) (any, error) {
		request, err := decode[DetachRequest](r)
		if err != nil {
			return nil, err
		}
		return s.state.Detach(cluster, request, s.now())
	})
	client("GET "+TasksPath+"{id}", func(r *http.Request, cluster string) (any, error) {
		return s.state.Task(cluster, r.PathValue("id"), s.now())
	})
	s.serveAdmin()
	return s, nil
}

// AddRequest adds devices; it is for the administrator.
type AddRequest struct {
	Model      string            `json:"model"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Devices    []string          `json:"devices"`
}

func (s *Server) serveAdmin() {
	admin := func(pattern string, handle func(*http.Request) error) {
		method, path, _ := strings.Cut(pattern, " ")
		s.mux.HandleFunc(method+" "+AdminPath+path, s.answer(func(r *http.Request) (any, error) {
			if !same(token(r), s.config.AdminToken) {
				return nil, ErrUnauthorized
			}
			if err := handle(r); err != nil {
				return nil, err
			}
			return s.state, nil
		}))
	}
	admin("GET state", func(*http.Request) error { s.state.Settle(s.now()); return nil })
	admin("PUT script", func(r *http.Request) error {
		rules, err := decode[[]Rule](r)
		if err != nil {
			return err
		}
		return s.state.SetScript(rules)
	})
	admin("POST devices", func(r *http.Request) error {
		request, err := decode[AddRequest](r)
		if err != nil {
			return err
		}
		return s.state.AddDevices(request.Model, request.Attributes, request.Devices...)
	})
	admin("POST devices/{id}/kill", func(r *http.Request) error { return s.state.Kill(r.PathValue("id"), s.now()) })
	admin("DELETE devices/{id}", func(r *http.Request) error { return s.state.Remove(r.PathValue("id"), s.now()) })
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close waits for writes and rejects later requests: then another server can continue with the file.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

type failure struct {
	Message string `json:"message"`
}

// answer performs requests one at a time, saves the state, and answers.
func (s *Server) answer(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed {
			panic(http.ErrAbortHandler) // cuts the connection
		}
		body, err := handle(r)
		task, begun := body.(Task)
		lost := begun && s.state.lost(task.ID)
		if err == nil {
			err = s.save()
		}
		if lost {
			panic(http.ErrAbortHandler) // cuts the connection
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(statusOf(err))
			body = failure{Message: err.Error()}
		}
		// The client repeats a request without a response.
		_ = json.NewEncoder(w).Encode(body)
	}
}

func (s *Server) cluster(r *http.Request) (string, error) {
	for _, c := range s.config.Clusters {
		if same(token(r), c.Token) {
			return c.Name, nil
		}
	}
	return "", ErrUnauthorized
}

func token(r *http.Request) string {
	text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return text
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func decode[T any](r *http.Request) (T, error) {
	var out T
	d := json.NewDecoder(limit.Reader(r.Body, maxAnswer))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return out, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if d.More() {
		return out, fmt.Errorf("%w: there is more than one value", ErrInvalid)
	}
	return out, nil
}

func (s *Server) load() (*State, error) {
	data, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s.config.state()
	}
	if err != nil {
		return nil, fmt.Errorf("read state: %w", err)
	}
	state := NewState()
	err = json.Unmarshal(data, state)
	if err == nil && !state.whole() {
		err = errors.New("it has null instead of objects")
	}
	if err != nil {
		return nil, fmt.Errorf("read state of %s: %w: remove the file to begin anew", s.file, err)
	}
	return state, nil
}

func (s *Server) save() error {
	data, err := json.Marshal(s.state)
	if err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	if err := renameio.WriteFile(s.file, data, 0o600); err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	return nil
}

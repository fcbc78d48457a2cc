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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dra-conformance/dratest/framework/limit"
)

// maxAnswer is the size limit of an answer, in bytes.
const maxAnswer = 64 << 20

// statuses maps HTTP status codes to errors. Any other error is the server's.
func statuses() map[int]error {
	return map[int]error{
		http.StatusBadRequest: ErrInvalid, http.StatusUnauthorized: ErrUnauthorized, http.StatusNotFound: ErrNotFound,
		http.StatusConflict: ErrNoneFree, http.StatusGone: ErrKeyUsed, http.StatusPreconditionFailed: ErrNotAttached,
		http.StatusUnprocessableEntity: ErrRefused,
	}
}

func statusOf(err error) int {
	for status, known := range statuses() {
		if errors.Is(err, known) {
			return status
		}
	}
	return http.StatusInternalServerError
}

// Manager is the client of a fabric's HTTP API. Errors are those of State, or of the connection.
type Manager struct {
	// Base is the fabric's address, as "https://fabric.example:8443".
	Base  string
	Token string
	// Agent is the client's User-Agent; empty for Go's.
	Agent string
	// HTTP has the trusted certificate authority.
	HTTP *http.Client
}

// Inventory returns everything visible to the client's cluster.
func (c Manager) Inventory(ctx context.Context) (Inventory, error) {
	return ask[Inventory](ctx, c, http.MethodGet, InventoryPath, nil)
}

// Attach begins to attach a device. It may be repeated after a connection error.
func (c Manager) Attach(ctx context.Context, r AttachRequest) (Task, error) {
	return ask[Task](ctx, c, http.MethodPost, AttachPath, r)
}

// Detach begins to detach a device. It may be repeated after a connection error.
func (c Manager) Detach(ctx context.Context, r DetachRequest) (Task, error) {
	return ask[Task](ctx, c, http.MethodPost, DetachPath, r)
}

// Task is how far a task is.
func (c Manager) Task(ctx context.Context, id string) (Task, error) {
	return ask[Task](ctx, c, http.MethodGet, TasksPath+url.PathEscape(id), nil)
}

// SetScript replaces the rules for requests; like the following methods it needs the administrator's token.
func (c Manager) SetScript(ctx context.Context, rules []Rule) (State, error) {
	return ask[State](ctx, c, http.MethodPut, AdminPath+"script", rules)
}

// Add adds devices.
func (c Manager) Add(ctx context.Context, r AddRequest) (State, error) {
	return ask[State](ctx, c, http.MethodPost, AdminPath+"devices", r)
}

// Kill lets a device die.
func (c Manager) Kill(ctx context.Context, device string) (State, error) {
	return ask[State](ctx, c, http.MethodPost, AdminPath+"devices/"+url.PathEscape(device)+"/kill", nil)
}

// Remove lets a device vanish.
func (c Manager) Remove(ctx context.Context, device string) (State, error) {
	return ask[State](ctx, c, http.MethodDelete, AdminPath+"devices/"+url.PathEscape(device), nil)
}

// State returns the complete state of the fabric.
func (c Manager) State(ctx context.Context) (State, error) {
	return ask[State](ctx, c, http.MethodGet, AdminPath+"state", nil)
}

func ask[T any](ctx context.Context, c Manager, method, path string, body any) (T, error) {
	var out T
	data, err := json.Marshal(body)
	if err != nil {
		return out, fmt.Errorf("ask the fabric: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Base, "/")+path, bytes.NewReader(data))
	if err != nil {
		return out, fmt.Errorf("ask the fabric: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	if c.Agent != "" {
		request.Header.Set("User-Agent", c.Agent)
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return out, fmt.Errorf("ask the fabric: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		var f failure
		_ = limit.DecodeJSON(response.Body, maxAnswer, &f) // the status says enough
		if known := statuses()[response.StatusCode]; known != nil {
			return out, fmt.Errorf("ask the fabric: %w: %s", known, f.Message)
		}
		return out, fmt.Errorf("ask the fabric: %s: %s", response.Status, f.Message)
	}
	if err := limit.DecodeJSON(response.Body, maxAnswer, &out); err != nil {
		return out, fmt.Errorf("read the fabric's answer: %w", err)
	}
	return out, nil
}

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

package composable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
	"github.com/dra-conformance/dratest/implementation/limit"
)

// Manager is a Fabric over HTTP with a bearer token: dra-fabric or a compatible server.
type Manager struct {
	// Base is the fabric's URL, such as "https://fabric.example:8443".
	Base string
	// TokenFile is the path of the token. It is read for each request, to support rotation.
	TokenFile string
	// HTTP has the trusted certificate authority and a timeout.
	HTTP *http.Client
}

// Size limits of responses, in bytes. An inventory of 100,000 devices takes 15 MiB.
const (
	maxAnswer  = 64 << 20
	maxFailure = 4 << 10 // the message is copied to the status of claims
)

type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("the fabric answers %d %s: %s", e.status, http.StatusText(e.status), e.message)
	if e.status == http.StatusUnauthorized {
		text += ": check the token"
	}
	return text
}

// Inventory implements Fabric.
func (m Manager) Inventory(ctx context.Context) (fabricplan.Inventory, error) {
	var inventory fabricplan.Inventory
	if err := m.ask(ctx, http.MethodGet, "/v1/inventory", nil, &inventory); err != nil {
		return inventory, err
	}
	if err := inventory.Validate(); err != nil {
		return fabricplan.Inventory{}, fmt.Errorf("read the fabric's answer: %w", err)
	}
	return inventory, nil
}

// Attach implements Fabric.
func (m Manager) Attach(ctx context.Context, a fabricplan.Attach) (fabricplan.Answer, error) {
	var task fabricplan.Task
	err := m.ask(ctx, http.MethodPost, "/v1/attach", map[string]string{"key": a.Key, "model": a.Model, "node": a.Node}, &task)
	if refused := (*statusError)(nil); errors.As(err, &refused) {
		if reason := refusals()[refused.status]; reason != "" {
			return fabricplan.Answer{Refused: reason, Message: refused.message}, nil
		}
	}
	return fabricplan.Answer{Task: task}, err
}

// refusals maps permanent response statuses to their reasons. All others are retried.
func refusals() map[int]string {
	return map[int]string{
		http.StatusConflict: fabricplan.ReasonNoneFree, http.StatusGone: fabricplan.ReasonKeyUsed,
		http.StatusUnprocessableEntity: fabricplan.ReasonRefused, http.StatusNotFound: fabricplan.ReasonRefused, http.StatusBadRequest: fabricplan.ReasonRefused,
	}
}

// Detach implements Fabric.
func (m Manager) Detach(ctx context.Context, d fabricplan.Detach) error {
	err := m.ask(ctx, http.MethodPost, "/v1/detach", map[string]string{"device": d.Device, "key": d.Key}, nil)
	if refused := (*statusError)(nil); errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return nil
	}
	return err
}

// ask sends a request and decodes the response into out, unless out is nil.
func (m Manager) ask(ctx context.Context, method, path string, body, out any) error {
	token, err := os.ReadFile(m.TokenFile)
	if err != nil {
		return fmt.Errorf("read the token for the fabric: %w", err)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("ask the fabric: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.Base, "/")+path, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("ask the fabric: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	request.Header.Set("User-Agent", "dra-composable-controller")
	response, err := m.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("ask the fabric: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		var failure struct {
			Message string `json:"message"`
		}
		_ = limit.DecodeJSON(response.Body, maxFailure, &failure) // the status suffices
		return &statusError{response.StatusCode, failure.Message}
	}
	if out == nil {
		return nil
	}
	if err := limit.DecodeJSON(response.Body, maxAnswer, out); err != nil {
		return fmt.Errorf("read the fabric's answer: %w", err)
	}
	return nil
}

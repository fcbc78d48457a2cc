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

package keyless

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// TokenVariable is the environment variable with an OIDC token.
	TokenVariable = "SIGSTORE_ID_TOKEN"
	// audience is the audience of Fulcio.
	audience = "sigstore"
	// tokenLimit bounds the size of a token.
	tokenLimit = 1 << 16
)

// errNoToken means there is neither a file, TokenVariable nor GitHub Actions.
var errNoToken = fmt.Errorf("no OIDC token: set $%s, or in GitHub Actions \"permissions: id-token: write\" of the job", TokenVariable)

// token returns a valid OIDC token: from a file, TokenVariable, or GitHub Actions. It is requested for each signature, as
// tokens expire within minutes.
func (o Options) token(ctx context.Context, now time.Time) (string, error) {
	token, err := o.anyToken(ctx)
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", errors.New("the OIDC token is no JSON web token")
	}
	var claims struct {
		Expires float64 `json:"exp"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil {
		return "", fmt.Errorf("read the OIDC token: %w", err)
	}
	if expires := time.Unix(int64(claims.Expires), 0); !now.Before(expires) {
		return "", fmt.Errorf("the OIDC token expired at %s", expires.UTC().Format(time.RFC3339))
	}
	return token, nil
}

func (o Options) anyToken(ctx context.Context) (string, error) {
	if o.TokenFile != "" {
		data, err := os.ReadFile(o.TokenFile)
		if err != nil {
			return "", fmt.Errorf("read the OIDC token: %w", err)
		}
		return string(data), nil
	}
	if token := os.Getenv(TokenVariable); token != "" {
		return token, nil
	}
	from, bearer := os.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL"), os.Getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
	if from == "" || bearer == "" {
		return "", errNoToken
	}
	token, err := githubToken(ctx, from, bearer)
	if err != nil {
		return "", fmt.Errorf("request an OIDC token from GitHub Actions: %w", err)
	}
	return token, nil
}

func githubToken(ctx context.Context, from, bearer string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	address, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	query := address.Query()
	query.Set("audience", audience)
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s", response.Status)
	}
	var body struct {
		Value string `json:"value"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, tokenLimit)).Decode(&body); err != nil {
		return "", err
	}
	return body.Value, nil
}

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

package testbed

import (
	"context"
	"encoding/json"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Companion describes a program of this project running beside the cluster for cases, on the machine of the run.
type Companion struct {
	Name spec.Companion
	// Skip is the code of cases skipped without the program. NoKubeconfig is the reason without a kubeconfig; NoProgram
	// is the prefix of the reason without the program.
	Skip                    spec.SkipCode
	NoKubeconfig, NoProgram string
	// Lacks returns why the target cannot serve cases with these needs, or nothing if it can. Nil means any target can.
	Lacks func(needs spec.Needs, target spec.Target) string
	// Find finds or builds the program, with changes to its source by path, and returns its client, encodable as JSON.
	// Errors wrap clusters.ErrEnvironment if there is neither the program nor a checkout.
	Find func(ctx context.Context, b *Testbed, overlay map[string][]byte) (client any, err error)
	// Decode returns the client of Find from its JSON. It is Decoded of the client's type.
	Decode func(data []byte) (client any, err error)
	// Install installs the program's objects in the cluster. It returns their removal, never nil, and why they could not
	// be installed. Nil installs nothing.
	Install func(ctx context.Context, b *Testbed, client any) (remove func(context.Context) error, reason string)
	// Tidy removes leftovers of failed cases nobody else removes. Nil removes nothing.
	Tidy func(ctx context.Context, config *rest.Config) error
}

// Decoded decodes a client of one type.
func Decoded[C any](data []byte) (any, error) {
	var client C
	err := json.Unmarshal(data, &client)
	return client, err
}

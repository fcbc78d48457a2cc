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

package sampledriver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// Parameter keys for the driver: how many pods may use the claim, -1 for any number; whether the
// claim is allocated without a device when none is free; the duration of its allocation in addition
// to Config.Takes; and how many allocation calls fail before one succeeds, per driver process.
const (
	userLimitKey = "userLimit"
	optionalKey  = "optional"
	takesKey     = "allocateTakes"
	failKey      = "failAllocate"
)

// parameters are those of a claim and its class.
type parameters struct {
	// userLimit is 0 if unset.
	userLimit int32
	optional  bool
	takes     time.Duration
	fail      int
	// Environment is set in containers: the prefixes admin_ and user_ show the origin.
	Environment map[string]string
}

// Parameters implements controller.Driver: class and claim may each reference an object. The
// class's user limit and optional flag are defaults for its claims.
func (d *Driver) Parameters(ctx context.Context, claim *controller.Claim) (any, error) {
	p := parameters{Environment: make(map[string]string)}
	for _, from := range []struct {
		prefix string
		read   func(context.Context, *controller.Claim) (*unstructured.Unstructured, error)
	}{{"admin_", d.objects.OfClass}, {"user_", d.objects.OfClaim}} {
		object, err := from.read(ctx, claim)
		if err != nil {
			return nil, fmt.Errorf("read parameters: %w", err)
		}
		if object == nil {
			continue
		}
		if err := p.add(object, from.prefix); err != nil {
			return nil, fmt.Errorf("%s %s: %w", strings.ToLower(object.GetKind()), object.GetName(), err)
		}
	}
	if d.simulated {
		p.takes, p.fail = 0, 0
	}
	return p, nil
}

// add merges an object's values, overriding existing ones.
func (p *parameters) add(object *unstructured.Unstructured, prefix string) error {
	values, err := valuesOf(object)
	if err != nil {
		return err
	}
	for key, value := range values {
		switch key {
		case userLimitKey:
			limit, err := strconv.ParseInt(value, 10, 32)
			if err != nil || limit != -1 && limit < 1 {
				return fmt.Errorf("%s must be positive, or -1 for no limit, got %q", userLimitKey, value)
			}
			p.userLimit = int32(limit)
		case optionalKey:
			if p.optional, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("%s must be true or false, got %q", optionalKey, value)
			}
		case takesKey:
			if p.takes, err = time.ParseDuration(value); err != nil || p.takes < 0 {
				return fmt.Errorf("%s must be a time as in 2s, got %q", takesKey, value)
			}
		case failKey:
			if p.fail, err = strconv.Atoi(value); err != nil || p.fail < 0 {
				return fmt.Errorf("%s must be a number that is not negative, got %q", failKey, value)
			}
		default:
			p.Environment[prefix+key] = value
		}
	}
	return nil
}

// valuesOf are the data of a ConfigMap, or the spec fields of any other object: strings as they
// are, anything else as JSON.
func valuesOf(object *unstructured.Unstructured) (map[string]string, error) {
	from := "spec"
	if object.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "ConfigMap"}) {
		from = "data"
	}
	fields, _, err := unstructured.NestedMap(object.Object, from)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	values := make(map[string]string)
	for key, value := range fields {
		text, ok := value.(string)
		if !ok {
			encoded, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("encode %s: %w", key, err)
			}
			text = string(encoded)
		}
		values[key] = text
	}
	return values, nil
}

// handle is for the driver's node part: the device, empty for none, and the environment. After
// allocation, no other parameters are needed.
func (p parameters) handle(device string) string {
	// Strings can always be encoded.
	data, _ := json.Marshal(struct {
		Device      string            `json:"device,omitempty"`
		Environment map[string]string `json:"environment,omitempty"`
	}{device, p.Environment})
	return string(data)
}

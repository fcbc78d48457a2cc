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

package scheduler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// ArgsAPIVersion and ArgsKind are the only valid values in the plugin's arguments. Both are optional.
const (
	ArgsAPIVersion = "dra-conformance.github.io/v1alpha1"
	ArgsKind       = "DRAArgs"
)

// TimeoutPolicy is the reaction to a Filter timeout on a node.
type TimeoutPolicy string

const (
	// SkipNode continues with the other nodes (KEP-4381, section "Filter").
	SkipNode TimeoutPolicy = "SkipNode"
	// AbortAttempt aborts the attempt and retries later, like Kubernetes since v1.36.
	AbortAttempt TimeoutPolicy = "AbortAttempt"
)

// DRAArgs are the plugin's arguments in a KubeSchedulerConfiguration.
type DRAArgs struct {
	// FilterTimeout limits Filter on one node. 0 means no limit; default 10s.
	FilterTimeout metav1.Duration `json:"filterTimeout"`
	// FilterTimeoutPolicy is the reaction to a timeout; default SkipNode.
	FilterTimeoutPolicy TimeoutPolicy `json:"filterTimeoutPolicy"`
	// BindingTimeout limits the wait for binding conditions of devices without their own timeout. At least
	// 1s, default 10m.
	BindingTimeout metav1.Duration `json:"bindingTimeout"`
	// MaxSearchSteps limits the search for devices on one node; 0 means the allocator's default.
	MaxSearchSteps int `json:"maxSearchSteps"`
}

// DefaultArgs returns the default arguments.
func DefaultArgs() DRAArgs {
	return DRAArgs{
		FilterTimeout:       metav1.Duration{Duration: 10 * time.Second},
		FilterTimeoutPolicy: SkipNode,
		BindingTimeout:      metav1.Duration{Duration: 10 * time.Minute},
	}
}

// Validate returns all problems at once.
func (a DRAArgs) Validate() error {
	var errs []error
	if a.FilterTimeout.Duration < 0 {
		errs = append(errs, fmt.Errorf("filterTimeout: %s must be zero or more", a.FilterTimeout.Duration))
	}
	if a.FilterTimeoutPolicy != SkipNode && a.FilterTimeoutPolicy != AbortAttempt {
		errs = append(errs, fmt.Errorf("filterTimeoutPolicy: %q must be %s or %s", a.FilterTimeoutPolicy, SkipNode, AbortAttempt))
	}
	if a.BindingTimeout.Duration < time.Second {
		errs = append(errs, fmt.Errorf("bindingTimeout: %s must be at least 1s", a.BindingTimeout.Duration))
	}
	if a.MaxSearchSteps < 0 {
		errs = append(errs, fmt.Errorf("maxSearchSteps: %d must be zero or more", a.MaxSearchSteps))
	}
	return errors.Join(errs...)
}

// decodeArgs decodes the argument of the plugin's factory: nil or raw text. It decodes field by field
// to report all errors in one run.
func decodeArgs(obj runtime.Object) (DRAArgs, error) {
	args := DefaultArgs()
	if obj == nil {
		return args, nil
	}
	unknown, ok := obj.(*runtime.Unknown)
	if !ok {
		return args, fmt.Errorf("decode %s: got %T instead of raw text", ArgsKind, obj)
	}
	if len(unknown.Raw) == 0 {
		return args, nil
	}
	raw, err := yaml.YAMLToJSONStrict(unknown.Raw) // JSON is YAML
	if err != nil {
		return args, fmt.Errorf("decode %s: %w", ArgsKind, err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return args, fmt.Errorf("decode %s: %w", ArgsKind, err)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := decodeArg(&args, name, fields[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	errs = append(errs, args.Validate())
	if err := errors.Join(errs...); err != nil {
		return args, fmt.Errorf("decode %s: %w", ArgsKind, err)
	}
	return args, nil
}

func decodeArg(args *DRAArgs, name string, value json.RawMessage) error {
	if bytes.Equal(value, []byte("null")) {
		return nil
	}
	var into any
	switch name {
	case "apiVersion":
		return expectText(value, ArgsAPIVersion)
	case "kind":
		return expectText(value, ArgsKind)
	case "filterTimeout":
		into = &args.FilterTimeout
	case "filterTimeoutPolicy":
		into = &args.FilterTimeoutPolicy
	case "bindingTimeout":
		into = &args.BindingTimeout
	case "maxSearchSteps":
		into = &args.MaxSearchSteps
	default:
		return errors.New("unknown field")
	}
	return json.Unmarshal(value, into)
}

func expectText(value json.RawMessage, want string) error {
	var got string
	if err := json.Unmarshal(value, &got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%q must be %q", got, want)
	}
	return nil
}

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
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// transform runs a program on an object, with the type of a watch event if any, and returns all results.
func transform(code *gojq.Code, object any, event string) ([]any, error) {
	var all []any
	for results := code.Run(object, event); ; {
		result, more := results.Next()
		if !more {
			return all, nil
		}
		if err, failed := result.(error); failed {
			return nil, fmt.Errorf("change an object as a mutant says: %w", err)
		}
		all = append(all, result)
	}
}

// answered is the body of a response as changed by the mutant.
func (m *Mutant) answered(body []byte) ([]byte, error) {
	var object any
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	if list, ok := object.(map[string]any); ok {
		if items, ok := list["items"].([]any); ok {
			left := []any{}
			for _, item := range items {
				changed, err := transform(m.compiled.answers, item, "")
				if err != nil {
					return nil, err
				}
				left = append(left, changed...)
			}
			list["items"] = left
			return json.Marshal(list)
		}
	}
	changed, err := transform(m.compiled.answers, object, "")
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, errors.New("a mutant leaves an answer out that is about one object")
	}
	return json.Marshal(changed[0])
}

// reported is a watch event as changed by the mutant: dropped, or with another object.
func (m *Mutant) rewriteEvent(event map[string]any) ([]any, error) {
	kind, _ := event["type"].(string)
	if kind == string(watch.Bookmark) || kind == string(watch.Error) {
		return []any{event}, nil
	}
	changed, err := transform(m.compiled.answers, event["object"], kind)
	if err != nil {
		return nil, err
	}
	var all []any
	for _, object := range changed {
		all = append(all, map[string]any{"type": kind, "object": object})
	}
	return all, nil
}

// stored is the body of a request as changed for the API server.
func (m *Mutant) stored(body []byte) ([]byte, error) {
	var object any
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, fmt.Errorf("read an object: %w", err)
	}
	changed, err := transform(m.compiled.stores, object, "")
	if err != nil {
		return nil, err
	}
	if len(changed) != 1 {
		return nil, fmt.Errorf("a mutant makes %d objects of one", len(changed))
	}
	return json.Marshal(changed[0])
}

// refused reports whether the mutant rejects the object of a request.
func (m *Mutant) refused(body []byte) (bool, error) {
	var object any
	if err := json.Unmarshal(body, &object); err != nil {
		return false, fmt.Errorf("read an object: %w", err)
	}
	results, err := transform(m.compiled.refuses, object, "")
	if err != nil {
		return false, err
	}
	return len(results) > 0 && results[0] == true, nil
}

func refusal(what string) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 422, Reason: metav1.StatusReasonInvalid,
		Message: what, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec", Message: what}}},
	}
}

// accepts removes suppressed causes from a rejection. changed is false for another rejection; rest is nil if nothing
// is left.
func (m *Mutant) accepts(s metav1.Status) (rest *metav1.Status, changed bool) {
	if s.Status != metav1.StatusFailure || !m.compiled.message.MatchString(s.Message) {
		return nil, false
	}
	if m.Accepts.Field == "" && m.Accepts.Reason == "" {
		return nil, true
	}
	if s.Details == nil {
		return nil, false
	}
	var left []metav1.StatusCause
	var said []string
	for _, c := range s.Details.Causes {
		if m.compiled.field.MatchString(c.Field) && m.compiled.reason.MatchString(string(c.Type)) {
			continue
		}
		left = append(left, c)
		said = append(said, c.Field+": "+c.Message)
	}
	if len(left) == len(s.Details.Causes) {
		return nil, false
	}
	if len(left) == 0 {
		return nil, true
	}
	details := *s.Details
	details.Causes = left
	s.Details, s.Message = &details, strings.Join(said, ", ")
	return &s, true
}

// inJSON is the body of a request in JSON; components send protobuf.
func inJSON(contentType string, body []byte) ([]byte, error) {
	if contentType != runtime.ContentTypeProtobuf {
		return body, nil
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("read an object: %w", err)
	}
	return json.Marshal(object)
}

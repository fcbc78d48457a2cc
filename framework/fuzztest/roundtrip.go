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

package fuzztest

import (
	"bytes"
	"encoding/json"
	"testing"
)

// RoundTrip fails unless the encoding of a decoded value can be decoded, to a value with the same encoding.
func RoundTrip[T any](t testing.TB, value T, encode func(T) ([]byte, error), decode func([]byte) (T, error)) {
	t.Helper()
	once, err := encode(value)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	again, err := decode(once)
	if err != nil {
		t.Fatalf("decode the encoded value: %v\n%s", err, once)
	}
	twice, err := encode(again)
	if err != nil {
		t.Fatalf("encode again: %v", err)
	}
	if !bytes.Equal(once, twice) {
		t.Fatalf("the value has changed:\n%s\nis now:\n%s", once, twice)
	}
}

// JSON is an encoder for RoundTrip.
func JSON[T any](value T) ([]byte, error) { return json.Marshal(value) }

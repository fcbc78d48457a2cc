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

package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzDropFromConfig checks that a container's configuration is changed once, and stays JSON.
func FuzzDropFromConfig(f *testing.F) {
	f.Add([]byte(`{"ociVersion":"1.2.0","process":{"env":["A=<b>"],"capabilities":{"bounding":["CAP_A","CAP_B"],"effective":["CAP_A"],"ambient":null}}}`))
	f.Add([]byte(`{"process":{"capabilities":{"bounding":["CAP_A"],"bounding":["CAP_A"]},"capabilities":{}}}`))
	lacks := func(name string) bool { return name == "CAP_A" }
	f.Fuzz(func(t *testing.T, config []byte) {
		once, err := dropFromConfig(config, lacks)
		if err != nil {
			return
		}
		twice, err := dropFromConfig(once, lacks)
		if err != nil || !bytes.Equal(once, twice) || !json.Valid(once) {
			t.Errorf("%s, then %s, %v", once, twice, err)
		}
	})
}

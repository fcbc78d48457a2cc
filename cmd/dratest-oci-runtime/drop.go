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
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// object is a JSON object with raw fields, so that unknown content is preserved.
type object map[string]json.RawMessage

// dropFromFile removes the capabilities reported by lacks from a container's config.json, or from a
// process file if isProcess. It does not write an unchanged file.
func dropFromFile(path string, isProcess bool, lacks func(string) bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read what runc is to run: %w", err)
	}
	drop := dropFromConfig
	if isProcess {
		drop = dropFromProcess
	}
	changed, err := drop(text, lacks)
	if err != nil {
		return fmt.Errorf("drop capabilities in %s: %w", path, err)
	}
	if bytes.Equal(changed, text) {
		return nil
	}
	return replace(path, changed)
}

func dropFromConfig(config []byte, lacks func(string) bool) ([]byte, error) {
	return edit(config, "process", func(process []byte) ([]byte, error) {
		return dropFromProcess(process, lacks)
	})
}

func dropFromProcess(process []byte, lacks func(string) bool) ([]byte, error) {
	return edit(process, "capabilities", func(capabilities []byte) ([]byte, error) {
		for _, set := range []string{"bounding", "effective", "permitted", "inheritable", "ambient"} {
			var err error
			capabilities, err = edit(capabilities, set, func(list []byte) ([]byte, error) { return dropFromList(list, lacks) })
			if err != nil {
				return nil, err
			}
		}
		return capabilities, nil
	})
}

func dropFromList(list []byte, lacks func(string) bool) ([]byte, error) {
	var names []string
	if err := json.Unmarshal(list, &names); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(names), lacks)
	if len(kept) == len(names) {
		return list, nil
	}
	return json.Marshal(kept)
}

// edit applies change to one field of a JSON object. If the field is absent, null or unchanged, it
// returns text itself.
func edit(text []byte, field string, change func([]byte) ([]byte, error)) ([]byte, error) {
	var fields object
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	value, found := fields[field]
	if !found || string(value) == "null" {
		return text, nil
	}
	changed, err := change(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if bytes.Equal(changed, value) {
		return text, nil
	}
	fields[field] = changed
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // keep the bytes of seccomp profiles and environments
	if err := encoder.Encode(fields); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// replace overwrites a file atomically with its previous mode, so that runc never reads a partial
// file.
func replace(path string, text []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".dratest-*")
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Chmod(info.Mode().Perm())
	}
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

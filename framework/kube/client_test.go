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

package kube

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// An API group missing in client panics on use, so no code may use one.
func TestGroupsThatAreUsed(t *testing.T) {
	made, err := NewForConfig(&rest.Config{Host: "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	var lacking []string
	of := reflect.TypeFor[kubernetes.Interface]()
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		func() {
			defer func() {
				if recover() != nil {
					lacking = append(lacking, name)
				}
			}()
			reflect.ValueOf(made).MethodByName(name).Call(nil)
		}()
	}
	if len(lacking) == 0 || len(lacking) == of.NumMethod() {
		t.Fatalf("%d of %d groups are lacking", len(lacking), of.NumMethod())
	}
	asks := regexp.MustCompile(`\.(` + strings.Join(lacking, "|") + `)\(\)\.`)
	for _, folder := range []string{"clusters", "cmd", "drivers", "framework", "suites", "upgrade"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
				return err
			}
			source, err := os.ReadFile(file)
			if found := asks.FindString(string(source)); found != "" {
				t.Errorf("%s asks for %s: add it to client", file, found)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

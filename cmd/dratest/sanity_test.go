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
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// A report of checks would be mistaken for part of a run if an earlier run's conformance report,
// journal and log stayed beside it.
func TestSanityLeavesNothingOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../reports/testdata/run")); err != nil {
		t.Fatal(err)
	}
	const mine = "notes.txt"
	if err := os.WriteFile(filepath.Join(dir, mine), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := checkDriver(t.Context(), io.Discard, dir, spec.Target{}, noDriver{}, sanity.Options{
		Driver: "gpu.example.com", Node: "worker", Client: fake.NewClientset(), CallTimeout: time.Second, PublishTimeout: time.Second,
	}, schema.Implementation{}, nil)
	if !errors.Is(err, errNoDriver) {
		t.Fatal(err)
	}
	var left []string
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, filepath.Base(path))
		}
		return err
	})
	if d := cmp.Diff([]string{mine}, left); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

var errNoDriver = errors.New("no driver listens")

// noDriver is an absent driver.
type noDriver struct{ sanity.NodeAccess }

func (noDriver) Dial(context.Context) (net.Conn, error) { return nil, errNoDriver }

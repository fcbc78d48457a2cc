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
	"strings"
	"testing"
)

func TestImagesOfARun(t *testing.T) {
	out, code := execute(t, "images", "list", "-o", "name", "--image-registry", "mirror.example.com/dra", "--version", "1.36")
	names := strings.Fields(out)
	if code != 0 || len(names) != 5 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "mirror.example.com/dra/") {
			t.Errorf("%s is not in the registry", name)
		}
	}
	if !strings.Contains(out, "/kindest/node:v1.36.4@sha256:") {
		t.Errorf("no node image of v1.36:\n%s", out)
	}
	// The list contains the images of Job manifests.
	manifests, code := execute(t, "manifests", "--image-registry", "mirror.example.com/dra", "--", "--focus", "^core/", "--pod-image", "busybox")
	if code != 0 || !strings.Contains(manifests, "image: "+names[0]+"\n") || !strings.Contains(manifests, "--image-registry=mirror.example.com/dra") {
		t.Errorf("exit code %d:\n%s", code, manifests)
	}
	if plugin, code := execute(t, "manifests", "--sonobuoy", "--image", "example.com/dratest:1"); code != 0 || !strings.Contains(plugin, "image: example.com/dratest:1\n") {
		t.Errorf("exit code %d:\n%s", code, plugin)
	}
}

func TestImagesOfFlags(t *testing.T) {
	f, pod := imageFlags{registry: "mirror.example.com"}, podImage
	flags := newRunCommand().Flags()
	if err := f.complete(flags, false, &pod); err != nil || pod != "mirror.example.com/busybox:1" || f.agent != "mirror.example.com/dra-sim:1" {
		t.Errorf("%s, %s, %v", pod, f.agent, err)
	}
	named, pod := imageFlags{registry: "mirror.example.com", agent: "example.com/sim:2"}, "example.com/busybox:2"
	if err := flags.Set("pod-image", pod); err != nil {
		t.Fatal(err)
	}
	if err := named.complete(flags, false, &pod); err != nil || pod != "example.com/busybox:2" || named.agent != "example.com/sim:2" {
		t.Errorf("%s, %s, %v", pod, named.agent, err)
	}
}

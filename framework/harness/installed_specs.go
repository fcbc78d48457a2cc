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

package harness

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// staticSpecs is the directory of CDI files that outlive a reboot.
const staticSpecs = "/etc/cdi"

// prepared is what is known of claims that are, or were, prepared.
type prepared struct {
	uids []types.UID
	// devices are the qualified names of their CDI devices.
	devices []string
}

// LoseSpecs removes the CDI files of the case's claims from a node, as a reboot does with
// all of them: those with a claim's UID, and those that describe what ExpectDevices has found
// of it. If there are none although the driver has answered CDI devices, the case is blocked.
func (i *Installed) LoseSpecs(node string) {
	ginkgo.GinkgoHelper()
	i.t.Step("remove the CDI files of the case's claims from %s", node)
	list, err := i.t.Client.ResourceV1().ResourceClaims(i.t.Namespace).List(i.t.ctx, metav1.ListOptions{})
	i.t.NoError(err, "list claims")
	of := prepared{}
	for n := range list.Items {
		of = i.with(of, &list.Items[n])
	}
	lost := of.lost(i.specs(node))
	switch {
	case len(lost) > 0:
	case len(of.devices) == 0:
		i.t.Note("the driver has answered no CDI devices, so that there are no files to remove")
	default:
		i.t.SetBlocked("no CDI file of the case's claims could be removed")
		i.t.Fatalf("no CDI file of %s that a reboot removes describes any of %v", node, of.devices)
	}
	for _, path := range lost {
		i.t.Note("%s", path)
		_, err := i.t.env.Agents.RemoveSpec(i.t.ctx, &agentapi.FileRequest{Node: node, Path: path})
		i.t.NoError(err, "remove %s", path)
	}
}

// ExpectNothingLeft ends the case if a node has CDI files with UIDs of claims of the case
// that are unprepared, or describes CDI devices that ExpectDevices has found of them. Devices
// that it described as the case began may stay: some drivers do that once for all claims.
func (i *Installed) ExpectNothingLeft(node string, claims ...*resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	of := prepared{}
	for _, c := range claims {
		of = i.with(of, c)
	}
	i.t.Expect(of.left(i.before[node], i.specs(node))).To(gomega.BeEmpty(), "CDI files on %s of claims that are unprepared", node)
}

// specs are the CDI files of a node; the driver cannot be blamed if they cannot be read.
func (i *Installed) specs(node string) map[string][]byte {
	ginkgo.GinkgoHelper()
	specs, err := i.t.env.Agents.ListSpecs(i.t.ctx, &agentapi.NodeRequest{Node: node})
	if err != nil {
		i.t.SetBlocked("CDI files cannot be read")
	}
	i.t.NoError(err, "read CDI files")
	return specs.GetFiles()
}

// with adds a claim with those of its CDI devices that the case has seen.
func (i *Installed) with(of prepared, claim *resourceapi.ResourceClaim) prepared {
	of.uids = append(of.uids, claim.UID)
	if f, ok := i.t.Driver.(*found); ok {
		of.devices = append(of.devices, f.cdi[claim.UID]...)
	}
	return of
}

// lost are the files that a reboot removes; one in /etc/cdi is there for others, too, unless
// it was made for one claim.
func (p prepared) lost(files map[string][]byte) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if p.named(path, files[path]) || filepath.Dir(path) != staticSpecs && len(p.among(described(files[path]))) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// left says what there still is.
func (p prepared) left(before, after map[string][]byte) []string {
	var was []string
	for _, content := range before {
		was = append(was, described(content)...)
	}
	problems := []string{}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if p.named(path, after[path]) {
			problems = append(problems, path)
			continue
		}
		for _, device := range p.among(described(after[path])) {
			if !slices.Contains(was, device) {
				problems = append(problems, fmt.Sprintf("%s: %s", path, device))
			}
		}
	}
	return problems
}

// named is whether the name or the content of a file has the UID of a claim.
func (p prepared) named(path string, content []byte) bool {
	return slices.ContainsFunc(p.uids, func(uid types.UID) bool { return strings.Contains(path+string(content), string(uid)) })
}

// among are those of some CDI devices that are the claims'.
func (p prepared) among(devices []string) []string {
	return slices.DeleteFunc(devices, func(device string) bool { return !slices.Contains(p.devices, device) })
}

// described are the qualified names of the devices in a CDI file; one that cannot be read
// describes none.
func described(content []byte) []string {
	var file struct {
		Kind    string `json:"kind"`
		Devices []struct {
			Name string `json:"name"`
		} `json:"devices"`
	}
	if yaml.Unmarshal(content, &file) != nil {
		return nil
	}
	var names []string
	for _, d := range file.Devices {
		names = append(names, file.Kind+"="+d.Name)
	}
	return names
}

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

package undertest

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

// staticSpecs is the directory of CDI files surviving a reboot.
const staticSpecs = "/etc/cdi"

// prepared identifies the CDI files of claims.
type prepared struct {
	uids []types.UID
	// devices are the qualified names of their CDI devices.
	devices []string
}

// LoseSpecs removes the CDI files of the case's claims from a node, as a reboot does with all CDI
// files: files with a claim's UID, and files describing CDI devices seen by ExpectDevices. The
// case is blocked if the driver answered CDI devices and no file describes any of them.
func (d *Driver) LoseSpecs(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("remove the CDI files of the case's claims from %s", node)
	list, err := d.t.Client.ResourceV1().ResourceClaims(d.t.Namespace).List(d.t.Context(), metav1.ListOptions{})
	d.t.NoError(err, "list claims")
	of := prepared{}
	for n := range list.Items {
		of = d.with(of, &list.Items[n])
	}
	lost := of.lost(d.specs(node))
	switch {
	case len(lost) > 0:
	case len(of.devices) == 0:
		d.t.Note("the driver has returned no CDI devices, so there are no files to remove")
	default:
		d.t.SetBlocked("no CDI file of the case's claims could be removed")
		d.t.Fatalf("no CDI file removed by a reboot of %s describes any of %v", node, of.devices)
	}
	for _, path := range lost {
		d.t.Note("%s", path)
		_, err := d.t.Env().Agents.RemoveSpec(d.t.Context(), &agentapi.FileRequest{Node: node, Path: path})
		d.t.NoError(err, "remove %s", path)
	}
}

// ExpectNothingLeft ends the case if CDI files on a node have UIDs of these unprepared claims, or
// describe CDI devices seen by ExpectDevices. Devices described from the beginning of the
// case may stay: some drivers write one file for all claims.
func (d *Driver) ExpectNothingLeft(node string, claims ...*resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	of := prepared{}
	for _, c := range claims {
		of = d.with(of, c)
	}
	d.t.Expect(of.left(d.before[node], d.specs(node))).To(gomega.BeEmpty(), "CDI files on %s of unprepared claims", node)
}

// specs are the CDI files of a node. If they cannot be read, the case is blocked.
func (d *Driver) specs(node string) map[string][]byte {
	ginkgo.GinkgoHelper()
	specs, err := d.t.Env().Agents.ListSpecs(d.t.Context(), &agentapi.NodeRequest{Node: node})
	if err != nil {
		d.t.SetBlocked("CDI files cannot be read")
	}
	d.t.NoError(err, "read CDI files")
	return specs.GetFiles()
}

// with adds a claim and its observed CDI devices.
func (d *Driver) with(of prepared, claim *resourceapi.ResourceClaim) prepared {
	of.uids = append(of.uids, claim.UID)
	of.devices = append(of.devices, d.cdi[claim.UID]...)
	return of
}

// lost are the files removed by a reboot. A file in /etc/cdi stays unless it was made for one
// claim.
func (p prepared) lost(files map[string][]byte) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if p.named(path, files[path]) || filepath.Dir(path) != staticSpecs && len(p.among(described(files[path]))) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// left returns the remaining files and devices of the claims.
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

// named is whether the name or content of a file has the UID of a claim.
func (p prepared) named(path string, content []byte) bool {
	return slices.ContainsFunc(p.uids, func(uid types.UID) bool { return strings.Contains(path+string(content), string(uid)) })
}

// among returns the devices of the claims.
func (p prepared) among(devices []string) []string {
	return slices.DeleteFunc(devices, func(device string) bool { return !slices.Contains(p.devices, device) })
}

// described are the qualified names of the devices in a CDI file, or none if it is not valid.
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

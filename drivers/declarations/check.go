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

package declarations

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dra-conformance/dratest/framework/spec"
)

// checker collects problems of values by path, as "classes[0].name".
type checker struct {
	root     *yaml.Node
	version  version
	problems []Problem
}

func (c *checker) say(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{lineOf(c.root, path), path + ": " + fmt.Sprintf(format, args...)})
}

func (c *checker) required(path, value string) {
	if strings.TrimSpace(value) == "" {
		c.say(path, "is missing")
	}
}

func (d Declaration) check(root *yaml.Node, v version) []Problem {
	c := &checker{root: root, version: v}
	c.required("identity.organization", d.Identity.Organization)
	c.required("identity.project", d.Identity.Project)
	c.required("identity.version", d.Identity.Version)
	if u, err := url.Parse(d.Identity.URL); d.Identity.URL != "" && (err != nil || u.Host == "") {
		c.say("identity.url", "%q is no URL", d.Identity.URL)
	}
	if problems := validation.IsDNS1123Subdomain(d.Driver); len(problems) > 0 || len(d.Driver) > resourceapi.DriverNameMaxLength {
		c.say("driver", "%q must be a DNS subdomain of at most %d characters", d.Driver, resourceapi.DriverNameMaxLength)
	}
	d.checkClasses(c)
	if root := d.Nodes.KubeletRoot; root != "" && !path.IsAbs(root) {
		c.say("nodes.kubeletRoot", "%q must be an absolute path", root)
	}
	d.checkTemplate(c)
	if len(d.Workload.Present) == 0 {
		c.say("workload.present", "is missing: a command that succeeds in a container with a device")
	}
	if len(d.Workload.Absent) == 0 {
		c.say("workload.absent", "is missing: a command that succeeds in a container without a device")
	}
	d.checkPods(c)
	d.checkHooks(c)
	d.checkRest(c)
	return c.problems
}

func (d Declaration) checkClasses(c *checker) {
	if len(d.Classes) == 0 {
		c.say("classes", "is missing: name at least one device class")
	}
	seen, ofClass := map[string]bool{}, map[spec.DriverFeature]string{}
	for i, class := range d.Classes {
		at := fmt.Sprintf("classes[%d]", i)
		if problems := validation.IsDNS1123Subdomain(class.Name); len(problems) > 0 {
			c.say(at+".name", "%q is no name of a device class: %s", class.Name, problems[0])
		}
		same := class.Name + strings.Join(class.Selectors, "\n")
		if seen[same] {
			c.say(at+".name", "%q is there twice, with the same selectors", class.Name)
		}
		seen[same] = true
		if class.DevicesPerNode < 1 {
			c.say(at+".devicesPerNode", "is %d, must be at least 1", class.DevicesPerNode)
		}
		if w := class.Workload; len(w.Present)+len(w.Absent)+len(w.Identify) > 0 && (len(w.Present) == 0 || len(w.Absent) == 0) {
			c.say(at+".workload", "must have present and absent, or be left out")
		}
		for _, f := range class.Features {
			switch {
			case !knownFeature(string(f)):
				c.say(at+".features", "%q is none of %v", f, spec.DriverFeatures())
			case i == 0:
				c.say(at+".features", "must not be set: the first class is used by all cases except those of features listed by another class")
			case ofClass[f] != "":
				c.say(at+".features", "%s is class %s's already", f, ofClass[f])
			}
			ofClass[f] = class.Name
		}
	}
}

func (d Declaration) checkTemplate(c *checker) {
	for i, part := range d.Nodes.Template {
		at := fmt.Sprintf("nodes.template[%d]", i)
		if part.Count < 1 {
			c.say(at+".count", "is %d, must be at least 1", part.Count)
		}
		for _, name := range slices.Sorted(maps.Keys(part.Capacity)) {
			if _, err := resource.ParseQuantity(part.Capacity[name]); err != nil {
				c.say(at+".capacity", "%s: %q is no quantity, as 16Gi", name, part.Capacity[name])
			}
		}
	}
}

func (d Declaration) checkHooks(c *checker) {
	if d.Deploy.PreviousVersion != "" && (d.Hooks.Upgrade.IsZero() || d.Hooks.Downgrade.IsZero()) {
		c.say("deploy.previousVersion", "requires hooks.downgrade to install it and hooks.upgrade to install this version again")
	}
	for _, pair := range [][2]string{{"makeUnhealthy", "heal"}, {"heal", "makeUnhealthy"}} {
		if d.Hooks.of(pair[0]).IsZero() != d.Hooks.of(pair[1]).IsZero() && d.Hooks.of(pair[1]).IsZero() {
			c.say("hooks."+pair[0], "requires hooks.%s to undo it", pair[1])
		}
	}
	for name, h := range d.Hooks.All() {
		at := "hooks." + name
		if h.IsZero() {
			continue
		}
		if len(h.Command) == 0 {
			c.say(at+".command", "is missing")
		}
		where := at + ".runsOn"
		if c.version == unversioned {
			where = at + ".on"
		}
		if h.RunsOn != "" && h.RunsOn != OnMachine && h.RunsOn != OnNode {
			c.say(where, "is %q, must be %s or %s", h.RunsOn, OnMachine, OnNode)
		}
		if !slices.Contains([]string{"inventory", "makeUnhealthy", "heal"}, name) && h.RunsOn == OnNode {
			c.say(where, "must be %s: the hook is not limited to one node", OnMachine)
		}
		if h.Timeout < 0 {
			c.say(at+".timeout", "must not be negative")
		}
	}
}

func (h Hooks) of(name string) (found Hook) {
	for n, hook := range h.All() {
		if n == name {
			found = hook
		}
	}
	return found
}

// All returns the hooks by name, in order; undeclared ones are zero.
func (h Hooks) All() func(yield func(string, Hook) bool) {
	return func(yield func(string, Hook) bool) {
		for _, one := range h.named() {
			if !yield(one.name, *one.hook) {
				return
			}
		}
	}
}

type namedHook struct {
	name string
	hook *Hook
}

func (h *Hooks) named() []namedHook {
	return []namedHook{
		{"inventory", &h.Inventory}, {"makeUnhealthy", &h.MakeUnhealthy}, {"heal", &h.Heal}, {"install", &h.Install}, {"upgrade", &h.Upgrade},
		{"downgrade", &h.Downgrade}, {"uninstall", &h.Uninstall}, {"reboot", &h.Reboot},
	}
}

var namespacedName = regexp.MustCompile(`^[a-z0-9.-]+/[a-z0-9.-]+$`)

func (d Declaration) checkRest(c *checker) {
	if set := d.Deploy.DaemonSet; set != "" && !namespacedName.MatchString(set) {
		c.say("deploy.daemonSet", "%q must be namespace/name", set)
	}
	for i, p := range d.Deploy.CheckpointPaths {
		if !path.IsAbs(p) {
			c.say(fmt.Sprintf("deploy.checkpointPaths[%d]", i), "%q must be an absolute path", p)
		}
	}
	if d.Limits.Prepare < 0 {
		c.say("limits.prepare", "must not be negative")
	}
	if d.Limits.Republish < 0 {
		c.say("limits.republish", "must not be negative")
	}
	d.Budget.check(c)
	d.checkCases(c)
	for i, e := range d.Excepted {
		at := fmt.Sprintf("exceptions[%d]", i)
		c.required(at+".case", e.Case)
		c.required(at+".reason", e.Reason)
		c.required(at+".issue", e.Issue)
		if _, err := time.Parse(time.DateOnly, e.Until); err != nil {
			c.say(at+".until", "%q must be a day, as 2026-12-31", e.Until)
		}
	}
}

// caseName is also safe in file names and tables.
var caseName = regexp.MustCompile(`^[a-z0-9]([a-z0-9./-]*[a-z0-9])?$`)

func (d Declaration) checkCases(c *checker) {
	seen := map[string]bool{}
	for i, own := range d.Cases {
		at := fmt.Sprintf("cases[%d]", i)
		switch {
		case !caseName.MatchString(own.Name):
			c.say(at+".name", "%q must be of lower case letters, digits, '-', '.' and '/'", own.Name)
		case seen[own.Name]:
			c.say(at+".name", "%q is there twice", own.Name)
		}
		seen[own.Name] = true
		c.required(at+".promise", own.Promise)
		if strings.Contains(own.Promise, "\n") || own.Promise != spec.Printable(own.Promise) {
			c.say(at+".promise", "must be one line of printable characters")
		}
		if len(own.Command) == 0 {
			c.say(at+".command", "is missing")
		}
		if own.Timeout < 0 {
			c.say(at+".timeout", "must not be negative")
		}
	}
}

var index = regexp.MustCompile(`^(.*)\[(\d+)\]$`)

// lineOf is the line of a path, or of its nearest existing parent.
func lineOf(root *yaml.Node, path string) int {
	line, node := root.Line, root
	for part := range strings.SplitSeq(path, ".") {
		item := -1
		if m := index.FindStringSubmatch(part); m != nil {
			part = m[1]
			item, _ = strconv.Atoi(m[2]) // has only digits
		}
		var next *yaml.Node
		for key, value := range pairs(node) {
			if node.Kind == yaml.MappingNode && key.Value == part {
				line, next = key.Line, value
			}
		}
		if next != nil && item >= 0 && item < len(next.Content) {
			next = next.Content[item]
			line = next.Line
		}
		if next == nil {
			return line
		}
		node = next
	}
	return line
}

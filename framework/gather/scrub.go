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

package gather

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// minSecret is the minimum length of values to remove from logs: shorter ones are common words.
const minSecret = 8

// Scrubber removes credentials of known formats and the values removed by Pod from texts: the scheduler may log whole
// pods.
type Scrubber struct{ values *strings.Replacer }

// NewScrubber collects the confidential values of pods: environment variables, commands, probes and annotations, in
// whole and in parts. It ignores values with less than eight characters, and the given names, which are published anyway.
// Flags of the control plane explain its logs, so only their credentials are collected.
func NewScrubber(pods []corev1.Pod, names map[string]bool) Scrubber {
	v := values{names: names, found: map[string]bool{}}
	for i := range pods {
		p := &pods[i]
		system := p.Namespace == metav1.NamespaceSystem
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			v.container(c, system)
		}
		for _, c := range p.Spec.EphemeralContainers {
			v.container(corev1.Container(c.EphemeralContainerCommon), system)
		}
		if !system {
			v.add(slices.Collect(maps.Values(p.Annotations))...)
		}
	}
	return Scrubber{v.replacer()}
}

// Scrub removes known values and credentials from a text; the zero Scrubber knows no values.
func (s Scrubber) Scrub(text []byte) []byte {
	if s.values != nil {
		text = []byte(s.values.Replace(string(text)))
	}
	return withoutCredentials(text)
}

// values collects confidential values.
type values struct {
	names map[string]bool
	found map[string]bool
}

func (v values) container(c corev1.Container, system bool) {
	for _, e := range c.Env {
		v.add(e.Value)
	}
	command := slices.Concat(c.Command, c.Args)
	handlers := []*corev1.ProbeHandler{}
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if probe != nil {
			handlers = append(handlers, &probe.ProbeHandler)
		}
	}
	if c.Lifecycle != nil {
		for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if h != nil {
				handlers = append(handlers, &corev1.ProbeHandler{Exec: h.Exec, HTTPGet: h.HTTPGet})
			}
		}
	}
	for _, h := range handlers {
		if h.Exec != nil {
			command = append(command, h.Exec.Command...)
		}
		if h.HTTPGet != nil {
			for _, header := range h.HTTPGet.HTTPHeaders {
				v.add(header.Value)
			}
		}
	}
	v.command(command, system)
}

// command adds the arguments of a command, and their words if they can be secrets: logs may contain only the value of a
// flag, or a word of a shell script.
func (v values) command(args []string, system bool) {
	if !system {
		v.add(args...)
	}
	follows := false // a flag that names a secret
	for _, arg := range args {
		for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&()<>", r) }) {
			name, value, assigned := strings.Cut(word, "=")
			switch {
			case follows && !strings.HasPrefix(word, "-"):
				v.add(word)
			case assigned && (secretName.MatchString(name) || !system && !plain.MatchString(value)):
				v.add(value)
			case !assigned && !system && !strings.HasPrefix(word, "-") && !plain.MatchString(word):
				v.add(word)
				// As in "curl -u user:password".
				if _, password, found := strings.Cut(word, ":"); found && !plain.MatchString(password) {
					v.add(password)
				}
			}
			follows = !assigned && strings.HasPrefix(word, "-") && secretName.MatchString(word)
		}
		// A quoted value of a shell's variable or flag may have spaces.
		if _, value, assigned := strings.Cut(arg, "="); assigned && !system && !plain.MatchString(value) {
			v.add(value)
		}
	}
}

// secretName matches the ends of names of flags and variables with secrets.
var secretName = regexp.MustCompile(`(?i)(pass(word|wd|phrase)?|pwd|secret|token|credentials?|api[_-]?key|(access|secret|private|account|auth)[_-]?key)$`)

// plain matches words of a command that are not secrets: paths, names, addresses without credentials, and words as in
// sentences, kinds and constants. Logs without them would be unreadable.
var plain = regexp.MustCompile(`^([a-z]+://)?[a-z.:/_-]*$|^/[\w./{}$-]*$|^[0-9.:,smh-]*$|^(([A-Z][a-z]+)+|[A-Z_]+)[.,:!?]*$`)

func (v values) add(all ...string) {
	for _, value := range all {
		for _, part := range append(strings.Split(value, "\n"), value) {
			if part = strings.TrimSpace(part); len(part) >= minSecret && !v.names[part] {
				v.found[part] = true
			}
		}
	}
}

// replacer returns a replacer for the values in all encodings.
func (v values) replacer() *strings.Replacer {
	forms := map[string]bool{}
	for value := range v.found {
		for _, once := range []string{value, quoted(value), escaped(value), url.QueryEscape(value), url.PathEscape(value)} {
			// Logs contain quoted objects within quoted objects.
			for _, form := range []string{once, quoted(once), escaped(once)} {
				forms[form] = true
			}
		}
		forms[base64.StdEncoding.EncodeToString([]byte(value))] = true
	}
	// The longest of values with a common prefix must match.
	sorted := slices.Sorted(maps.Keys(forms))
	slices.SortStableFunc(sorted, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(sorted))
	for _, form := range sorted {
		pairs = append(pairs, form, leftOut)
	}
	return strings.NewReplacer(pairs...)
}

// quoted returns the value as quoted by Go.
func quoted(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// escaped returns the value as escaped by encoding/json.
func escaped(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(q[1 : len(q)-1])
}

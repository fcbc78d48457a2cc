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
	"regexp"
	"strings"
)

// maxDriverName is the API's limit for driver names (resource/v1, DriverNameMaxLength).
const maxDriverName = 63

// NamespacePrefix begins the names of cases' namespaces, and of the cluster roles of cases.
const NamespacePrefix = "dratest-"

// DriverName is unique because the namespace's generated suffix is.
func DriverName(id, namespace string) string {
	_, name, _ := strings.Cut(id, "/")
	suffix := "-" + strings.TrimPrefix(namespace, NamespacePrefix) + driverDomain
	return strings.TrimRight(name[:min(len(name), maxDriverName-len(suffix))], "-") + suffix
}

// driverDomain ends the names of the drivers of cases.
const driverDomain = ".dra-conformance.github.io"

// generatedSuffix ends what driverName puts before driverDomain: the five characters that
// the API server gives a generated name (k8s.io/apimachinery/pkg/util/rand, String).
var generatedSuffix = regexp.MustCompile("-[bcdfghjklmnpqrstvwxz2456789]{5}$")

// IsDriverOfCase says whether a driver's name is one that cases give theirs, and not that
// of a driver that somebody has installed by hand, as standalone.dra-conformance.github.io.
func IsDriverOfCase(name string) bool {
	before, ours := strings.CutSuffix(name, driverDomain)
	return ours && generatedSuffix.MatchString(before)
}

// NamespaceOf is the namespace of the case that has a driver of this name; empty if that is none
// of a case.
func NamespaceOf(driver string) string {
	if !IsDriverOfCase(driver) {
		return ""
	}
	before := strings.TrimSuffix(driver, driverDomain)
	return NamespacePrefix + before[strings.LastIndex(before, "-")+1:]
}

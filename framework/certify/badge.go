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

package certify

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/reports/schema"
)

// home is the default link of a badge.
const home = "https://github.com/dra-conformance/dratest"

// ErrNoBadge means that no certificate is valid today.
var ErrNoBadge = errors.New("there is no badge")

// Badge is a line of Markdown for a driver's README: the profile passed, the version of Kubernetes, the last day of the
// certificate. It links to link, by default to this project. The caller has verified the certificate. It returns
// ErrNoBadge without a positive verdict, or after the last day.
func Badge(c schema.Certificate, link string, now time.Time) (string, error) {
	until := c.Expires.Format(time.DateOnly)
	switch {
	case c.Verdict != schema.DriverCertified:
		return "", fmt.Errorf("%w: the driver is %s", ErrNoBadge, c.Verdict)
	case now.After(c.Expires):
		return "", fmt.Errorf("%w: the certificate was good until %s: certify the driver again", ErrNoBadge, until)
	}
	label, status := "dratest "+c.Profile, fmt.Sprintf("passed on Kubernetes %s, valid until %s", c.Kubernetes, until)
	text := strings.NewReplacer("[", `\[`, "]", `\]`, "\n", " ").Replace(fmt.Sprintf("%s %s: %s: %s", c.Driver, c.Identity.Version, label, status))
	return fmt.Sprintf("[![%s](https://img.shields.io/badge/%s-%s-brightgreen)](%s)", text, shield(label), shield(status), cmp.Or(link, home)), nil
}

// shield escapes a text for a shields.io path.
func shield(text string) string {
	return url.PathEscape(strings.NewReplacer("-", "--", "_", "__").Replace(text))
}

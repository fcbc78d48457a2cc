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
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// home is where a badge leads that its vendor leads nowhere else.
const home = "https://github.com/dra-conformance/dratest"

// ErrNoBadge: there is no certificate that speaks for a driver today.
var ErrNoBadge = errors.New("there is nothing that a badge could say")

// Badge is a line of Markdown for a README, which says for which Kubernetes a driver is
// certified, and until when. It leads to link, or to this project if that is empty.
// Errors: ErrNoBadge if the certificate is for no driver, or its time is over at now.
func (c Certificate) Badge(link string, now time.Time) (string, error) {
	until := c.Expires.Format(time.DateOnly)
	switch {
	case c.Verdict != Certified:
		return "", fmt.Errorf("%w: the driver is %s", ErrNoBadge, c.Verdict)
	case now.After(c.Expires):
		return "", fmt.Errorf("%w: the certificate was good until %s: certify the driver again", ErrNoBadge, until)
	}
	if link == "" {
		link = home
	}
	says := fmt.Sprintf("certified for Kubernetes %s until %s", c.Kubernetes, until)
	return fmt.Sprintf("[![%s %s: DRA %s](https://img.shields.io/badge/%s-%s-brightgreen)](%s)", c.Driver, c.Identity.Version, says, shield("DRA"), shield(says), link), nil
}

// shield is a text as shields.io has it in a path.
func shield(text string) string {
	return url.PathEscape(strings.NewReplacer("-", "--", "_", "__").Replace(text))
}

// ReadCertificate reads that of a report directory.
func ReadCertificate(dir string) (c Certificate, err error) {
	data, err := os.ReadFile(filepath.Join(dir, CertificateFile))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read the certificate: %w", err)
	}
	return c, nil
}

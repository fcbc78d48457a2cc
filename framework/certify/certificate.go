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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/reports/schema"
)

// CertificateFile has the verdict, beside the report of the cases.
const CertificateFile = "certificate.json"

// validity is how long a certificate is good for.
const validity = 1 // year

// Certificate is the content of CertificateFile.
type Certificate struct {
	Judgement

	Identity identity     `json:"identity"`
	Driver   string       `json:"driver"`
	Suite    schema.Suite `json:"suite"`
	// Kubernetes, Kubelets and Runtimes are versions.
	Kubernetes string   `json:"kubernetes"`
	Kubelets   []string `json:"kubelets"`
	Runtimes   []string `json:"runtimes"`
	// Images are those of the driver's pods, with their digests.
	Images []string  `json:"images,omitempty"`
	Date   time.Time `json:"date"`
	// Expires is missing where the driver is not certified.
	Expires    time.Time                `json:"expires,omitzero"`
	Exceptions []declarations.Exception `json:"exceptions,omitempty"`
	Cases      map[string]string        `json:"cases"`
}

// identity repeats declarations.Identity in JSON.
type identity struct {
	Organization string   `json:"organization"`
	Project      string   `json:"project"`
	Version      string   `json:"version"`
	URL          string   `json:"url,omitempty"`
	Contact      []string `json:"contact,omitempty"`
}

func certificate(d declarations.Declaration, r schema.Report, j Judgement, pods []corev1.Pod, now time.Time) Certificate {
	c := Certificate{
		Judgement: j, Identity: identity(d.Identity), Driver: d.Driver, Suite: r.Suite, Kubernetes: r.Cluster.Kubernetes,
		Runtimes: r.Cluster.Runtimes, Date: now.UTC().Truncate(time.Second), Exceptions: d.Excepted, Cases: map[string]string{},
	}
	for _, n := range r.Cluster.Nodes {
		c.Kubelets = append(c.Kubelets, n.Kubelet)
	}
	slices.Sort(c.Kubelets)
	c.Kubelets = slices.Compact(c.Kubelets)
	for _, p := range pods {
		for _, s := range p.Status.ContainerStatuses {
			c.Images = append(c.Images, s.Image+" "+s.ImageID)
		}
	}
	slices.Sort(c.Images)
	c.Images = slices.Compact(c.Images)
	if j.Verdict == Certified {
		c.Expires = c.Date.AddDate(validity, 0, 0)
	}
	for _, one := range r.Cases {
		c.Cases[one.ID] = string(one.Status)
	}
	return c
}

// removeCertificate removes that of an earlier run, which would speak for this one if no
// verdict comes of it.
func removeCertificate(dir string) error {
	if err := os.Remove(filepath.Join(dir, CertificateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the certificate of an earlier run: %w", err)
	}
	return nil
}

func (c Certificate) write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, CertificateFile), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the certificate: %w", err)
	}
	return nil
}

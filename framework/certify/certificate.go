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
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// validity is the validity period of a certificate.
const validity = 1 // year

// certificate is derived from facts, all contained in the report directory, and from the images of the driver's pods.
func certificate(f facts, identity schema.Implementation, images []string) schema.Certificate {
	r, d := f.report, f.declaration
	c := schema.Certificate{
		SchemaVersion: schema.CertificateVersion, Judgement: judge(f), Profile: profileOf(r),
		Identity: identity, Driver: d.Driver, Suite: r.Suite, Kubernetes: r.Cluster.Kubernetes, Runtimes: r.Cluster.Runtimes, Images: images,
		Date: r.Ended.UTC().Truncate(time.Second), Cases: map[string]string{}, Observations: f.seen,
	}
	for _, e := range d.Excepted {
		c.Exceptions = append(c.Exceptions, schema.DriverException(e))
	}
	for _, n := range r.Cluster.Nodes {
		c.Kubelets = append(c.Kubelets, n.Kubelet)
	}
	slices.Sort(c.Kubelets)
	c.Kubelets = slices.Compact(c.Kubelets)
	if c.Verdict == schema.DriverCertified {
		c.Expires = c.Date.AddDate(validity, 0, 0)
	}
	for _, one := range r.Cases {
		c.Cases[one.ID] = string(one.Status)
	}
	return c
}

// profileOf names the certified profile, as "driver v1".
func profileOf(r schema.Report) string {
	if r.Profile == nil {
		return string(spec.DriverTarget)
	}
	return r.Profile.String()
}

// Derive recreates the certificate of a report directory from its declaration, its report and the observations in its
// certificate c.
func Derive(dir fs.FS, required []schema.RequiredCase, r schema.Report, c schema.Certificate) (schema.Certificate, error) {
	d, err := declarationOf(dir)
	if err != nil {
		return schema.Certificate{}, err
	}
	return certificate(facts{declaration: d, report: r, cases: required, seen: c.Observations}, c.Identity, c.Images), nil
}

// Declared returns the driver's features and hooks according to the declaration of a report directory and the
// observations in its certificate.
func Declared(dir fs.FS, c schema.Certificate) (spec.DriverUnderTest, error) {
	d, err := declarationOf(dir)
	if err != nil {
		return spec.DriverUnderTest{}, err
	}
	observed := map[spec.DriverFeature]bool{}
	for _, f := range c.Observations.Features {
		observed[f] = true
	}
	// The directory does not show whether the driver was removable.
	return spec.DriverUnderTest{Driver: d.Driver, DriverClass: spec.DriverClass{Devices: 1}, Features: has(d.Features, observed), Hooks: Options{Declaration: d}.hooks()}, nil
}

// declarationOf reads the declaration of a report directory.
func declarationOf(dir fs.FS) (d declarations.Declaration, err error) {
	data, err := fs.ReadFile(dir, reports.DeclarationFile)
	if err != nil {
		return d, fmt.Errorf("read the declaration: %w", err)
	}
	if d, err = declarations.Parse(data); err != nil {
		return d, fmt.Errorf("%s: %w", reports.DeclarationFile, err)
	}
	return d, nil
}

// images returns the images of the driver's pods, with digests.
func images(pods []corev1.Pod) (all []string) {
	for _, p := range pods {
		for _, s := range p.Status.ContainerStatuses {
			all = append(all, s.Image+" "+s.ImageID)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// build identifies the certified software.
func build(d declarations.Declaration, images []string) (string, error) {
	text, err := declarations.Encode(d)
	return digest(append(text, strings.Join(images, "\n")...)), err
}

// identity is the driver's vendor, unless overridden by flags.
func (o Options) identity() schema.Implementation {
	return o.Run.Identity.Over(schema.Implementation(o.Declaration.Identity))
}

func write(dir string, c schema.Certificate, d declarations.Declaration) error {
	text, err := declarations.Encode(d)
	if err != nil {
		return err
	}
	data, err := schema.EncodeCertificate(c)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{reports.DeclarationFile: text, reports.CertificateFile: data} {
		if err := renameio.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write the certificate: %w", err)
		}
	}
	return nil
}

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

package sign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	attestation "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// PayloadType is the media type of in-toto statements.
const PayloadType = "application/vnd.in-toto+json"

const predicateType = "https://in-toto.io/attestation/test-result/v0.1"

// statement attests the result of the conformance report c, encoded in data. An incomplete result is a
// failure, with the reasons in the configuration.
func statement(data []byte, c schema.ConformanceReport) (*attestation.Statement, error) {
	result := &testresult.TestResult{Configuration: configuration(c)}
	if c.Certificate != nil {
		d, err := certificate(*c.Certificate)
		if err != nil {
			return nil, err
		}
		result.Configuration = append(result.Configuration, d)
	}
	for _, each := range c.Cases {
		switch each.Result {
		case schema.CasePassed:
			result.PassedTests = append(result.PassedTests, each.ID)
		case schema.CaseKnownIssue, schema.CaseUnreviewed, schema.CaseWarning, schema.CaseExpectedFailure:
			result.WarnedTests = append(result.WarnedTests, each.ID)
		case schema.CaseFailed:
			result.FailedTests = append(result.FailedTests, each.ID)
		}
	}
	switch {
	case c.Result != schema.ResultPassed:
		result.Result = "FAILED"
	case len(result.WarnedTests) > 0:
		result.Result = "WARNED"
	default:
		result.Result = "PASSED"
	}
	predicate, err := asStruct(result)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &attestation.Statement{
		Type:          attestation.StatementTypeUri,
		Subject:       []*attestation.ResourceDescriptor{{Name: reports.ConformanceFile, Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}}},
		PredicateType: predicateType,
		Predicate:     predicate,
	}, nil
}

// configuration describes the tested configuration and the result.
func configuration(c schema.ConformanceReport) []*attestation.ResourceDescriptor {
	describe := func(name, digest string, annotations map[string]string) *attestation.ResourceDescriptor {
		d := &attestation.ResourceDescriptor{Name: name, Annotations: &structpb.Struct{Fields: map[string]*structpb.Value{}}}
		if hash, ok := strings.CutPrefix(digest, "sha256:"); ok {
			d.Digest = map[string]string{"sha256": hash}
		}
		for key, value := range annotations {
			if value != "" {
				d.Annotations.Fields[key] = structpb.NewStringValue(value)
			}
		}
		return d
	}
	return []*attestation.ResourceDescriptor{
		describe("dratest", c.Suite.Binary, map[string]string{"version": c.Suite.Version, "commit": c.Suite.Commit}),
		describe("required-cases", c.Suite.RequiredCases, nil),
		describe("kubernetes", "", map[string]string{"version": c.Cluster.Kubernetes}),
		describe("driver", "", map[string]string{"name": c.Driver.Name, "image": c.Driver.Image}),
		describe("result", "", map[string]string{"result": string(c.Result), "reasons": strings.Join(c.Reasons, "\n"), "selection": c.Selected()}),
	}
}

// certificate describes a certificate except its cases: those are tests.
func certificate(c schema.Certificate) (*attestation.ResourceDescriptor, error) {
	c.Cases = nil
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode certificate: %w", err)
	}
	d := &attestation.ResourceDescriptor{Name: "certificate", Annotations: &structpb.Struct{}}
	if err := protojson.Unmarshal(data, d.Annotations); err != nil {
		return nil, fmt.Errorf("encode certificate: %w", err)
	}
	return d, nil
}

func asStruct(result *testresult.TestResult) (*structpb.Struct, error) {
	data, err := protojson.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encode test result: %w", err)
	}
	s := &structpb.Struct{}
	if err := protojson.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("encode test result: %w", err)
	}
	return s, nil
}

// plain converts a statement to generic JSON types.
func plain(s *attestation.Statement) (any, []byte, error) {
	data, err := protojson.Marshal(s)
	if err != nil {
		return nil, nil, fmt.Errorf("encode statement: %w", err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, nil, fmt.Errorf("encode statement: %w", err)
	}
	// protojson adds spaces at random.
	data, err = json.Marshal(out)
	return out, data, err
}

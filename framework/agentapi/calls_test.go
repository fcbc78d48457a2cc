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

package agentapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"github.com/dra-conformance/dratest/framework/spec"
)

// partial are agents that read a part.
type partial struct {
	AgentClient

	since time.Time
}

func (p *partial) GetEvidence(_ context.Context, r *EvidenceRequest, _ ...grpc.CallOption) (*Evidence, error) {
	if r.Since != nil {
		p.since = r.Since.AsTime()
	}
	return &Evidence{Files: map[string][]byte{"kubelet.log": []byte(r.Node)}, Missing: []string{"a: no", "b: no"}}, nil
}

func (*partial) GetKubeletLines(_ context.Context, r *LinesRequest, _ ...grpc.CallOption) (*Lines, error) {
	return &Lines{Log: []byte(r.Text), Problem: "cut"}, nil
}

func TestPartsAreReturnedWithAnError(t *testing.T) {
	p, since := &partial{}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	files, err := ReadEvidence(t.Context(), p, "n", time.Time{})
	if string(files["kubelet.log"]) != "n" || err == nil || err.Error() != "read evidence of node n: a: no; b: no" || !p.since.IsZero() {
		t.Errorf("got %q, %v, since %s", files, err, p.since)
	}
	if _, err = ReadEvidence(t.Context(), p, "n", since); err == nil || !p.since.Equal(since) {
		t.Errorf("since %s, %v", p.since, err)
	}
	log, err := ReadKubeletLines(t.Context(), p, "n", since, "text")
	if string(log) != "text" || err == nil || err.Error() != "read the kubelet's log on node n: cut" {
		t.Errorf("got %q, %v", log, err)
	}
}

func TestDecode(t *testing.T) {
	want := spec.DriverStatus{Registered: true, Calls: []spec.Call{{Method: spec.Prepare}}}
	got, err := Decode[spec.DriverStatus](&JSON{Json: Encode(want)}, nil)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	if _, err := Decode[spec.DriverStatus](nil, io.ErrUnexpectedEOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	if _, err := Decode[spec.DriverStatus](&JSON{Json: []byte("[]")}, nil); err == nil || !strings.Contains(err.Error(), "decode answer") {
		t.Errorf("got %v", err)
	}
}

// loop returns what it was sent.
type loop struct{ chunks []*Chunk }

func (l *loop) Send(c *Chunk) error {
	l.chunks = append(l.chunks, &Chunk{Data: bytes.Clone(c.Data)})
	return nil
}

func (l *loop) Recv() (*Chunk, error) {
	if len(l.chunks) == 0 {
		return nil, io.EOF
	}
	first := l.chunks[0]
	l.chunks = l.chunks[1:]
	return first, nil
}

func TestPipe(t *testing.T) {
	p := &Pipe{Stream: &loop{}}
	for _, part := range []string{"hello", "", ", world"} {
		if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	one := make([]byte, 1)
	if _, err := p.Read(one); err != nil || one[0] != 'h' {
		t.Fatal(one, err)
	}
	if rest, err := io.ReadAll(p); string(rest) != "ello, world" || err != nil {
		t.Errorf("got %q, %v", rest, err)
	}
}

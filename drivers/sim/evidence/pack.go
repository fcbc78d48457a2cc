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

package evidence

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// packed is the prefix of Pack's line: a pod's log may have others.
const packed = "dra-sim-evidence: "

// maxUnpacked bounds the size of an unpacked line, in bytes.
const maxUnpacked = 64 << 20

// Pack is evidence in one line of a log.
func Pack(e *agentapi.Evidence) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	content, err := proto.Marshal(e)
	if err == nil {
		_, err = w.Write(content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return "", fmt.Errorf("pack evidence: %w", err)
	}
	return packed + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// Unpack finds Pack's line in a log. Errors: it is missing or incomplete.
func Unpack(log []byte) (*agentapi.Evidence, error) {
	for line := range strings.Lines(string(log)) {
		text, found := strings.CutPrefix(strings.TrimSpace(line), packed)
		if !found {
			continue
		}
		zipped, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil {
			return nil, fmt.Errorf("unpack evidence: %w", err)
		}
		content, err := io.ReadAll(io.LimitReader(zipped, maxUnpacked))
		e := &agentapi.Evidence{}
		if err == nil {
			err = proto.Unmarshal(content, e)
		}
		if err != nil {
			return nil, fmt.Errorf("unpack evidence: %w", err)
		}
		return e, nil
	}
	return nil, fmt.Errorf("the log has no evidence, but %q", log[:min(len(log), 200)])
}

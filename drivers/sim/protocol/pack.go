package protocol

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// packed begins the line that Pack makes: a pod's log may have others.
const packed = "dra-sim-evidence: "

// maxUnpacked bounds what a line may become, in bytes.
const maxUnpacked = 64 << 20

// Pack is evidence in one line of a log.
func Pack(e Evidence) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(w).Encode(e), w.Close()); err != nil {
		return "", fmt.Errorf("pack evidence: %w", err)
	}
	return packed + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// Unpack finds the line that Pack made in a log. Errors: there is none, or only a part.
func Unpack(log []byte) (e Evidence, err error) {
	for line := range strings.Lines(string(log)) {
		text, found := strings.CutPrefix(strings.TrimSpace(line), packed)
		if !found {
			continue
		}
		zipped, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil {
			return e, fmt.Errorf("unpack evidence: %w", err)
		}
		if err := json.NewDecoder(io.LimitReader(zipped, maxUnpacked)).Decode(&e); err != nil {
			return e, fmt.Errorf("unpack evidence: %w", err)
		}
		return e, nil
	}
	return e, fmt.Errorf("the log has no evidence, but %q", log[:min(len(log), 200)])
}

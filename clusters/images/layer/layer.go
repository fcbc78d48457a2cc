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

package layer

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/compression"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Entry is a file, directory or symbolic link, owned by root.
type Entry struct {
	// Path has no leading slash; a trailing slash marks a directory.
	Path string
	// Mode is the permissions with setuid, setgid and sticky bit, as for chmod(1). Zero means 0644, for directories
	// 0755.
	Mode int64
	// Link makes the entry a symbolic link to this target.
	Link string
	// Data is a file's content, unless File is set.
	Data []byte
	// File is the local path of the content.
	File string
	// Key identifies File's content, so that a layer's key can be computed before the file is built.
	Key string
}

// Time is the modification time of everything in a layer.
func Time() time.Time { return time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Key identifies the layer of entries, in any order.
func Key(entries []Entry) string {
	hash := sha256.New()
	for _, e := range sorted(entries) {
		content := e.Key
		if content == "" {
			content = fmt.Sprintf("%x", sha256.Sum256(e.Data))
		}
		_, _ = fmt.Fprintf(hash, "%q %o %q %s\n", e.Path, e.Mode, e.Link, content)
	}
	return hex.EncodeToString(hash.Sum(nil))[:20]
}

// Plain returns an uncompressed layer: compression is not worth it for a local engine.
func Plain(entries []Entry) (v1.Layer, error) {
	return plain(opener(entries))
}

// PlainFile returns the layer in an uncompressed tar file.
func PlainFile(tarFile string) (v1.Layer, error) {
	return plain(func() (io.ReadCloser, error) { return os.Open(tarFile) })
}

// Compressed returns a layer compressed with zstd, held in memory.
func Compressed(entries []Entry) (v1.Layer, error) {
	l, err := tarball.LayerFromOpener(opener(entries), tarball.WithCompression(compression.ZStd), tarball.WithCompressionLevel(3),
		tarball.WithMediaType(types.OCILayerZStd), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("compress a layer: %w", err)
	}
	return l, nil
}

// plainLayer is a layer with identical compressed and uncompressed forms.
type plainLayer struct {
	open func() (io.ReadCloser, error)
	hash v1.Hash
	size int64
}

func plain(open func() (io.ReadCloser, error)) (v1.Layer, error) {
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("read a layer: %w", err)
	}
	defer func() { _ = r.Close() }()
	hash, size, err := v1.SHA256(r)
	if err != nil {
		return nil, fmt.Errorf("read a layer: %w", err)
	}
	return plainLayer{open: open, hash: hash, size: size}, nil
}

// Digest returns the digest of the tar stream, like DiffID.
func (l plainLayer) Digest() (v1.Hash, error) { return l.hash, nil }

// DiffID is the digest of the tar stream.
func (l plainLayer) DiffID() (v1.Hash, error) { return l.hash, nil }

// Compressed is the tar stream, not compressed.
func (l plainLayer) Compressed() (io.ReadCloser, error) { return l.open() }

// Uncompressed is the tar stream.
func (l plainLayer) Uncompressed() (io.ReadCloser, error) { return l.open() }

// Size returns the size of the tar stream in bytes.
func (l plainLayer) Size() (int64, error) { return l.size, nil }

// MediaType is the uncompressed layer type.
func (l plainLayer) MediaType() (types.MediaType, error) { return types.DockerUncompressedLayer, nil }

func opener(entries []Entry) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(Write(w, entries)) }()
		return r, nil
	}
}

// Write writes entries as a tar stream sorted by path, including parent directories: an engine would create missing
// ones with access for root only.
func Write(w io.Writer, entries []Entry) error {
	out := tar.NewWriter(w)
	for _, e := range withParents(entries) {
		if err := writeEntry(out, e); err != nil {
			return fmt.Errorf("write %s into a layer: %w", e.Path, err)
		}
	}
	return out.Close()
}

func writeEntry(out *tar.Writer, e Entry) error {
	header := &tar.Header{Name: e.Path, Mode: e.Mode, ModTime: Time(), Format: tar.FormatPAX}
	switch {
	case e.Link != "":
		header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, e.Link, 0o777
		return out.WriteHeader(header)
	case strings.HasSuffix(e.Path, "/"):
		header.Typeflag, header.Mode = tar.TypeDir, or(e.Mode, 0o755)
		return out.WriteHeader(header)
	}
	header.Typeflag, header.Mode = tar.TypeReg, or(e.Mode, 0o644)
	if e.File == "" {
		header.Size = int64(len(e.Data))
		err := out.WriteHeader(header)
		_, writeErr := out.Write(e.Data)
		return errors.Join(err, writeErr)
	}
	file, err := os.Open(e.File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header.Size = info.Size()
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(out, file)
	return err
}

func or(mode, otherwise int64) int64 {
	if mode == 0 {
		return otherwise
	}
	return mode
}

func withParents(entries []Entry) []Entry {
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Path] = true
	}
	all := slices.Clone(entries)
	for _, e := range entries {
		for dir := path.Dir(strings.TrimSuffix(e.Path, "/")); dir != "."; dir = path.Dir(dir) {
			if !have[dir+"/"] {
				have[dir+"/"] = true
				all = append(all, Entry{Path: dir + "/"})
			}
		}
	}
	return sorted(all)
}

func sorted(entries []Entry) []Entry {
	all := slices.Clone(entries)
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return all
}

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

package host

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// probe runs a privileged container that exits at once (about a second) and leaves nothing in the engine. Only a real
// container proves it: rejections depend on the engine's runtime, capabilities, namespaces and plugins. The image is
// built here, since none may be present or pullable.
func probe(ctx context.Context, arch string) (outcome, string) {
	program := exitProgram(arch)
	if program == nil {
		return untried, ""
	}
	archive, err := singleFile("exit", program)
	if err != nil {
		return untried, ""
	}
	image := fmt.Sprintf("dratest/probe:%d", os.Getpid())
	if _, err := ask(ctx, bytes.NewReader(archive), "docker", "import", "-", image); err != nil {
		return fails, lastLine(err.Error())
	}
	defer func() {
		_, _ = ask(context.WithoutCancel(ctx), nil, "docker", "image", "rm", "--force", image)
	}()
	name := fmt.Sprintf("dratest-probe-%d", os.Getpid())
	_, err = ask(ctx, nil, "docker", "run", "--rm", "--privileged", "--network=none", "--name="+name, image, "/exit")
	if err == nil {
		return works, ""
	}
	// The engine keeps containers it could not start in spite of --rm.
	_, _ = ask(context.WithoutCancel(ctx), nil, "docker", "rm", "--force", name)
	if ctx.Err() != nil {
		return untried, ""
	}
	return fails, cause(err.Error())
}

// cause extracts the innermost error from the engine's message: it wraps the runtime's message several
// times.
func cause(message string) string {
	line := lastLine(strings.TrimSuffix(strings.TrimSpace(message), "Run 'docker run --help' for more information"))
	if _, after, found := strings.Cut(line, "Error response from daemon: "); found {
		line = after
	}
	for _, inner := range []string{"unable to start container process: ", "unable to retrieve OCI runtime error"} {
		if at := strings.LastIndex(line, inner); at >= 0 {
			line = line[at:]
		}
	}
	line = strings.TrimPrefix(line, "unable to start container process: ")
	return strings.TrimSuffix(strings.TrimSuffix(line, "."), ": unknown")
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// exitProgram returns a static Linux executable calling exit(0), or nil for an unknown architecture.
func exitProgram(arch string) []byte {
	var machine uint16
	var code []byte
	switch arch {
	case "amd64":
		machine = 62
		code = []byte{0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05} // mov $60,%eax; xor %edi,%edi; syscall
	case "arm64":
		machine = 183
		code = []byte{0xa8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 0x01, 0, 0, 0xd4} // mov x8,#93; mov x0,#0; svc #0
	default:
		return nil
	}
	const base, headers = 0x400000, 64 + 56
	length := uint64(headers + len(code))
	var out bytes.Buffer
	write := func(values ...any) {
		for _, value := range values {
			_ = binary.Write(&out, binary.LittleEndian, value) // a Buffer takes all fixed-size values
		}
	}
	// ELF header: 64 bit, little endian, executable, one program header.
	write([16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, uint16(2), machine, uint32(1), uint64(base+headers), uint64(64), uint64(0),
		uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0))
	// Program header: load the whole file, readable and executable.
	write(uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), length, length, uint64(0x1000))
	write(code)
	return out.Bytes()
}

// singleFile returns a tar archive with one executable file.
func singleFile(name string, content []byte) ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	if _, err := archive.Write(content); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return out.Bytes(), nil
}
